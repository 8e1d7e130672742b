"""A data frame of mixed columns, prepared by name and tuned by random search."""

import numpy as np
import pandas as pd
from scipy.stats import randint
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.model_selection import RandomizedSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

rng = np.random.default_rng(0)
n = 400
frame = pd.DataFrame(
    {
        "age": rng.uniform(18, 80, n),
        "fare": rng.lognormal(3, 1, n),
        "sex": pd.Categorical(rng.choice(["male", "female"], n)),
        "port": rng.choice(["S", "C", "Q"], n),
    }
)
risk = 0.04 * frame["age"] + 1.5 * (frame["sex"] == "male") + (frame["port"] == "Q") - 3
target = pd.Series(np.where(risk + rng.logistic(size=n) > 0, "yes", "no"), name="target")
frame.loc[::7, "age"] = np.nan

prepare = ColumnTransformer(
    [
        ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), ["age", "fare"]),
        ("levels", OneHotEncoder(sparse_output=False), ["sex", "port"]),
    ]
).set_output(transform="pandas")
model = make_pipeline(prepare, GradientBoostingClassifier(random_state=0))
tuned = RandomizedSearchCV(
    model,
    {"gradientboostingclassifier__max_depth": randint(1, 4), "gradientboostingclassifier__n_estimators": [20, 40]},
    n_iter=2,
    random_state=0,
    cv=3,
    scoring="roc_auc",
).fit(frame, target)
assert list(tuned.best_estimator_[-1].feature_names_in_)[:2] == ["numbers__age", "numbers__fare"]

ordinal = ColumnTransformer(
    [("codes", OrdinalEncoder(), make_column_selector(dtype_exclude="number"))],
    remainder="passthrough",
    verbose_feature_names_out=False,
).set_output(transform="pandas")
hist = make_pipeline(
    ordinal, HistGradientBoostingClassifier(max_iter=15, categorical_features=["sex", "port"], random_state=0)
)
native = frame.astype({"port": "category"})
direct = HistGradientBoostingClassifier(max_iter=15, categorical_features="from_dtype", random_state=0)
results = cross_validate(hist, frame, target, cv=3, scoring=["roc_auc", "neg_log_loss"], return_estimator=True)
scores = {
    "tuned": tuned.best_score_,
    "ordinal": results["test_roc_auc"].mean(),
    "from_dtype": cross_validate(direct, native, target, cv=3, scoring="roc_auc")["test_score"].mean(),
    "classes": float(list(tuned.classes_) == ["no", "yes"]),
}
