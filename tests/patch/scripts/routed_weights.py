"""Weights routed through searches and pipelines, and models fitted in portions."""

import numpy as np
import sklearn
from sklearn.datasets import load_digits, make_classification
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

X, y = make_classification(400, 8, random_state=0)
weight = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
scores = {}
with sklearn.config_context(enable_metadata_routing=True):
    forest = RandomForestClassifier(20, random_state=0).set_fit_request(sample_weight=True)
    forest.set_score_request(sample_weight=True)
    pipe = make_pipeline(StandardScaler().set_fit_request(sample_weight=True), forest)
    search = GridSearchCV(pipe, {"randomforestclassifier__max_depth": [2, 6]}, cv=3).fit(X, y, sample_weight=weight)
    scores["search"] = search.best_score_
    boost = HistGradientBoostingClassifier(max_iter=20, random_state=0).set_fit_request(sample_weight=True)
    scorer = get_scorer("roc_auc").set_score_request(sample_weight=True)
    scores["AUC"] = cross_validate(boost, X, y, cv=3, scoring=scorer, params={"sample_weight": weight})[
        "test_score"
    ].mean()

digits, labels = load_digits(return_X_y=True)
for model in (GaussianNB(), MultinomialNB(), BernoulliNB(binarize=8), CategoricalNB(min_categories=17)):
    for rows in np.array_split(np.arange(1500), 3):
        model.partial_fit(digits[rows], labels[rows], classes=range(10))
    scores[type(model).__name__] = model.score(digits[1500:], labels[1500:])
