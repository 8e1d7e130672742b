"""Classes of texts: sparse counts, naive Bayes and other models."""

import numpy as np
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.tree import DecisionTreeClassifier

rng = np.random.default_rng(0)
words = np.array(
    [
        "game",
        "ball",
        "team",
        "score",
        "win",
        "market",
        "price",
        "stock",
        "bank",
        "trade",
        "the",
        "of",
        "and",
        "to",
        "in",
    ]
)
topics = np.array([0.12] * 5 + [0.02] * 5 + [0.06] * 5), np.array([0.02] * 5 + [0.12] * 5 + [0.06] * 5)
target = rng.integers(0, 2, 200)
texts = [" ".join(rng.choice(words, 8, p=topics[label] / topics[label].sum())) for label in target]
names = np.array(["sport", "money"])[target]

pipe = Pipeline([("vectors", CountVectorizer()), ("bayes", MultinomialNB())])
search = GridSearchCV(pipe, {"bayes__alpha": [0.1, 1.0], "vectors__ngram_range": [(1, 1), (1, 2)]}, cv=3)
scores = {"multinomial": search.fit(texts, names).best_score_}
for model in (
    BernoulliNB(),
    ComplementNB(),
    KNeighborsClassifier(5, metric="cosine"),
    DecisionTreeClassifier(max_depth=5, random_state=0),
    RandomForestClassifier(30, random_state=0),
    ExtraTreesClassifier(30, random_state=0),
    GradientBoostingClassifier(n_estimators=20, random_state=0),
    BaggingClassifier(n_estimators=10, random_state=0),
    AdaBoostClassifier(n_estimators=20, random_state=0),
):
    scores[type(model).__name__] = cross_val_score(make_pipeline(TfidfVectorizer(), model), texts, names, cv=3).mean()
