"""What users of scikit-learn, pandas, LightGBM, Optuna and SHAP type first works, or is answered with the line to type.

Each guess is a line of code, which is run in a namespace with a table ``T``, a pandas frame ``df``, features ``X`` and
a target ``y``. Lines that end in a comparison must be true.
"""

import functools
import http.server
import threading

import numpy as np
import pytest

import probus
from probus.tuning import Random

N = 60


def table():
    rng = np.random.default_rng(0)
    age, sex = rng.integers(1, 80, N).astype(float), rng.choice(["f", "m"], N)
    y = np.where(0.03 * (age - 40) + 2.0 * (sex == "f") + rng.normal(size=N) > 1.0, "yes", "no")
    age[:3] = np.nan
    fare = rng.gamma(2.0, 10.0, N).round(2)
    return {"age": age.tolist(), "fare": fare.tolist(), "sex": sex.tolist(), "y": y.tolist()}


@functools.cache
def world():
    """The names that guesses may use; results that several read are computed once."""
    import pandas as pd
    import polars as pl

    from probus.dummy import ZeroRClassifier
    from probus.ensemble import BoostingClassifier, RandomForestClassifier
    from probus.linear_model import LinearRegression, LogisticRegression
    from probus.naive_bayes import GaussianNB, NaiveBayes
    from probus.pipeline import tabular
    from probus.tree import DecisionTreeClassifier

    df = pd.DataFrame(table())
    T = probus.Table.of(table())
    X, y = df.drop(columns="y"), df["y"]
    numbers = df[["fare"]].to_numpy()
    task = probus.Task(df, target="y")
    return {
        "probus": probus, "np": np, "pd": pd, "pl": pl, "df": df, "T": T, "X": X, "y": y, "A": numbers, "task": task,
        "ZeroRClassifier": ZeroRClassifier, "RandomForestClassifier": RandomForestClassifier,
        "BoostingClassifier": BoostingClassifier, "LogisticRegression": LogisticRegression,
        "LinearRegression": LinearRegression, "GaussianNB": GaussianNB, "NaiveBayes": NaiveBayes, "tabular": tabular,
        "DecisionTreeClassifier": DecisionTreeClassifier, "bayes": NaiveBayes(),
        "few": {"smoothing": ["laplace", "epsilon"]},
        "Random": Random, "fitted": NaiveBayes().fit(X, y), "forest": RandomForestClassifier(5).fit(X, y),
        "logistic": tabular(LogisticRegression()).fit(X, y), "boosted": BoostingClassifier(3).fit(X, y),
    }  # fmt: skip


@functools.cache
def results():
    known = world()
    task, bayes = known["task"], known["bayes"]
    return {
        "r": probus.resample(bayes, task, cv=2),
        "c": probus.compare({"zero": known["ZeroRClassifier"](), "bayes": bayes}, task, cv=2),
        "s": probus.study(known["df"], target="y", models=["bayes"], evaluations=0, cv=2, progress=None),
        "tuned": probus.tune(bayes, task, space=known["few"], evaluations=2, cv=2, progress=None),
    }


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """The address of a folder with rows.csv, served by this process."""
    folder = tmp_path_factory.mktemp("served")
    world()["df"].to_csv(folder / "rows.csv", index=False)
    (folder / "quiet").mkdir()

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *arguments):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()


TABLES = [
    'probus.Table(df).names == ("age", "fare", "sex", "y")',
    'probus.Table(df)["age"].missing.sum() == 3',
    'probus.Table({"a": [1, 2], "b": ["x", "y"]}).shape == (2, 2)',
    'probus.Table([{"a": 1}, {"a": 2}]).names == ("a",)',
    "probus.Table(A).shape == (60, 1)",
    'probus.Table(pl.DataFrame({"a": [1, 2]})).names == ("a",)',
    'probus.Table(df, kinds={"sex": "nominal"}).kinds["sex"] == "nominal"',
    "probus.Table(T).shape == T.shape",
    "probus.read(df).shape == (60, 4)",
    'probus.read({"a": [1.5, 2]}).names == ("a",)',
    "probus.read(T).names == T.names",
    'probus.read(df, kinds={"sex": "nominal"}).kinds["sex"] == "nominal"',
    'probus.read(df, columns=["sex", "age"]).names == ("sex", "age")',
    'probus.read(address + "/rows.csv").names == T.names',
    'probus.read(address + "/rows.csv").shape == T.shape',
    'T.columns == ("age", "fare", "sex", "y")',
    'list(T.columns) == ["age", "fare", "sex", "y"]',
    '"age" in T.columns',
    "len(T) == 60",
    "T.head(3).shape == (3, 4)",
    "T.tail(3).shape == (3, 4)",
    "T.sample(5).shape == (5, 4)",
    "T.sample(5, random_state=0).to_dict() == T.sample(5, random_state=0).to_dict()",
    "T.sample(frac=0.5).shape == (30, 4)",
    'T["age"].mean() == df["age"].mean()',
    'T["age"].std() == df["age"].std()',
    'T["age"].median() == df["age"].median()',
    'T["age"].min() == df["age"].min()',
    'T["age"].max() == df["age"].max()',
    'T["fare"].sum() == df["fare"].sum()',
    'T["age"].quantile(0.25) == df["age"].quantile(0.25)',
    'T["sex"].unique().tolist() == ["f", "m"]',
    'T["sex"].nunique() == 2',
    "probus.fairness.MetricFrame(metrics='accuracy', y_true=y, y_pred=y, sensitive_features=df['sex']).overall == 1",
    "probus.fairness.selection_rate_difference(y, y, sensitive_features=df.sex) > 0",
    "probus.fairness.accuracy_score_group_min(y, y, sensitive_features=X[['sex']]) == 1",
    'T["sex"].value_counts()',
    'T["age"].isna().sum() == 3',
    'T["age"].isnull().sum() == 3',
    'len(T["age"].to_list()) == 60',
    'T["age"].to_numpy().shape == (60,)',
    'len(list(T["age"])) == 60',
    'T["sex"][0] in ("f", "m")',
    'T["age"].head(3)',
    'T[T["age"] > 30].n_rows == (df["age"] > 30).sum()',
    'T[T["sex"] == "f"].n_rows == (df["sex"] == "f").sum()',
    'T[T["sex"] != "f"].n_rows == (df["sex"] != "f").sum()',
    'T[(T["age"] > 30) & (T["sex"] == "f")].n_rows == ((df["age"] > 30) & (df["sex"] == "f")).sum()',
    'T[T["sex"].isin(["f"])].n_rows == (df["sex"] == "f").sum()',
    'T.filter(T["age"] > 30).n_rows == (df["age"] > 30).sum()',
    'T[~T["age"].isna()].n_rows == 57',
    "T[:3].n_rows == 3",
    'T[["age", "sex"]].names == ("age", "sex")',
    'T.drop("age").names == ("fare", "sex", "y")',
    'T.drop(["age", "fare"]).names == ("sex", "y")',
    'T.drop(columns=["age"]).names == ("fare", "sex", "y")',
    'T.drop(columns="age").names == ("fare", "sex", "y")',
    'T.select(["age", "sex"]).names == ("age", "sex")',
    'T.rename({"age": "years"}).names == ("years", "fare", "sex", "y")',
    'T.rename(str.upper).names == ("AGE", "FARE", "SEX", "Y")',
    'T.rename(columns={"age": "years"}).names == ("years", "fare", "sex", "y")',
    "T.to_pandas().shape == (60, 4)",
    "pl.DataFrame(T).columns == list(T.names)",
    'list(dict(T)) == ["age", "fare", "sex", "y"]',
    'pd.DataFrame(dict(T)).columns.tolist() == ["age", "fare", "sex", "y"]',
    'np.asarray(T[["age", "fare"]]).shape == (60, 2)',
    'np.asarray(T["age"]).shape == (60,)',
    "T.describe()",
    "T.dropna().n_rows == 57",
    "T.plot()",
    'T["age"].plot()',
    "T.copy().shape == T.shape",
    'len(T["age"] + 1) == 60',
    '(1 - T["fare"] / 2).shape == (60,)',
    'T.with_columns(double=2 * T["fare"])["double"].sum() == 2 * T["fare"].sum()',
    'T["age", "sex"].names == ("age", "sex")',
    'T.drop("age", axis=1).names == ("fare", "sex", "y")',
    'T["age"].count() == 57',
    'np.isclose(T["age"].var(), df["age"].var())',
    'np.mean(T["fare"]) == df["fare"].mean()',
    'np.isclose(np.std(T["fare"]), np.std(df["fare"]))',
    'np.sum(T["age"]) == df["age"].sum()',
    'np.max(T["fare"]) == df["fare"].max()',
    '(T["fare"] ** 2).sum() == (df["fare"] ** 2).sum()',
    '(T["fare"] // 10 == df["fare"] // 10).all()',
    '(T["fare"] % 10 == df["fare"] % 10).all()',
    '(abs(T["fare"]) == df["fare"]).all()',
    '(round(T["fare"], 1) == df["fare"].round(1)).all()',
    'T[T["age"].between(20, 40)].n_rows == df["age"].between(20, 40).sum()',
    'T["age"].is_null().sum() == 3',
    'T["age"].notnull().sum() == 57',
    "probus.Table(pl.LazyFrame(df)).shape == (60, 4)",
]

TASKS = [
    'probus.Task(df, "y").target == "y"',
    'probus.Task(X, y).target == "y"',
    'probus.Task(X, y).features == ("age", "fare", "sex")',
    "len(probus.Task(A, np.arange(60.0))) == 60",
    'probus.Task(T.drop("y"), T["y"]).classes == ("no", "yes")',
    'probus.resample(bayes, df, target="y", cv=2).task.target == "y"',
    'probus.resample(bayes, df, "y", cv=2).task.target == "y"',
    "probus.resample(bayes, X, y, cv=2).scores().shape == (2,)",
    'probus.resample(bayes, "iris", target="species", cv=2).task.target == "species"',
    'probus.compare([ZeroRClassifier(), bayes], df, target="y", cv=2).measure.name',
    'probus.compare([ZeroRClassifier(), bayes], df, "y", cv=2).measure.name',
    'probus.compare([ZeroRClassifier(), bayes], df, target="y", cv=2, time="15s").measure.name',
    'probus.tune(bayes, df, target="y", space=few, evaluations=2, cv=2).best_score_ > 0',
    'probus.tune(bayes, df, "y", space=few, evaluations=2, cv=2).best_score_ > 0',
    'probus.tune(bayes, df, target="y", tuner="random", space=few, evaluations=2, cv=2).best_score_ > 0',
    'probus.tune(bayes, df, target="y", tuner="grid", space=few, cv=2).best_score_ > 0',
    'probus.tune(bayes, df, target="y", time="15s", space=few, evaluations=2, cv=2).best_score_ > 0',
    'probus.tune(bayes, df, target="y", time=15, space=few, evaluations=2, cv=2).best_score_ > 0',
    'probus.tune(bayes, df, target="y", budget="15s", space=few, evaluations=2, cv=2).best_score_ > 0',
    'probus.tuning.Tuned(bayes, tuner="random", time="15s", evaluations=2, space=few, cv=2).fit(X, y).best_score_ > 0',
    'probus.study(df, "y", models=["bayes"], evaluations=0, cv=2, progress=None).best',
    'probus.study(df, target="y", models=["bayes"], evaluations=0, cv=2, time="30s", progress=None).best',
    'probus.learning_curve(bayes, df, target="y", cv=2, train_sizes=[1.0])',
    'probus.validation_curve(DecisionTreeClassifier(), df, target="y", param_name="max_depth", param_range=[1], cv=2)',
    'probus.bias_variance(bayes, df, target="y", n_rounds=3)',
    'probus.nested([ZeroRClassifier(), bayes], df, target="y", cv=2)',
    'probus.compare([("a", bayes), ("b", ZeroRClassifier())], task, cv=2).best == "a"',
    'probus.study(df, target="y", models=[bayes], evaluations=0, cv=2, progress=None).best == "NaiveBayes"',
    "probus.profile(df).rows == 60",
    'probus.profile(df, target="y").target == "y"',
    'probus.profile("iris").rows == 150',
    'probus.examine(df, target="y")',
    'probus.examine(df, "y")',
    "len(probus.explain(fitted, X.head(2))) == 2",
    "len(probus.explain(forest, X.head(2))) == 2",
    "probus.explain(logistic, X.head(2)).plot()",
]

RESULTS = [
    "str(r)", "r.plot()", "r.confusion_matrix()", "r.confusion_matrix().plot()", "r.plot_confusion_matrix()",
    "r.plot_roc()", "r.plot_calibration()", "r.plot_precision_recall()", 'r.save(folder / "r.html").exists()',
    'r.save(folder / "r.json").exists()', 'r.save(folder / "r.csv").exists()', 'r.save(folder / "r.png").exists()',
    "r.report()", "r.scores().mean() > 0", 'r["accuracy"].value > 0.4', 'r.estimate("f1").value >= 0',
    "str(c)", "c.plot()", "c.plot_roc()", 'c.save(folder / "c.html").exists()', 'c.best in ("bayes", "zero")',
    'c.to_frame().shape[0] == 1', "c.leaderboard.plot()", 'c.confusion_matrix("bayes")',
    'c["bayes"].scores().shape == (2,)',
    "str(s)", "s.plot()", "s.plot_roc()", "s.confusion_matrix()", "s.confusion_matrix().plot()",
    's.save(folder / "s.probus").exists()',
    "s.predict(X).shape == (60,)", "s.predict_proba(X).shape == (60, 2)", "s.model.predict(X).shape == (60,)",
    "s.leaderboard", "s.score.value > 0",
    '"log_loss" in str(tuned) or "roc_auc" in str(tuned)', '"best" in str(tuned)', "tuned.plot()",
    "tuned.best_params_", "tuned.best_score_ > 0", "tuned.cv_results_", "tuned.archive.to_frame()",
    "tuned.predict(X).shape == (60,)", 'tuned.save(folder / "t.probus").exists()', "tuned.best_estimator_",
    'fitted.save(folder / "m.probus").exists()',
    'probus.load(fitted.save(folder / "m.probus")).predict(X).shape == (60,)',
    'logistic.save(folder / "l.probus").exists()', "probus.explain(forest, X).plot()",
    'probus.profile(df).save(folder / "p.html").exists()', 'T.save(folder / "rows.csv").exists()',
    'T.save(folder / "rows.parquet").exists()',
]  # fmt: skip

MODELS = [
    'fitted.predict([{"age": 3, "fare": 8.0, "sex": "f"}]).shape == (1,)',
    'forest.predict([{"age": 3, "fare": 8.0, "sex": "f"}, {"age": None, "fare": 8.0, "sex": "m"}]).shape == (2,)',
    'boosted.predict_proba([{"age": 3, "fare": 8.0, "sex": "f"}]).shape == (1, 2)',
    'logistic.predict([{"age": 3, "fare": 8.0, "sex": "f"}]).shape == (1,)',
    's.model.predict([{"age": 3, "fare": 8.0, "sex": "f"}]).shape == (1,)',
    'tuned.predict([{"age": 3, "fare": 8.0, "sex": "f"}]).shape == (1,)',
    'fitted.predict({"age": 3, "fare": 8.0, "sex": "f"}).shape == (1,)',
    'LinearRegression().fit(df[["fare"]], df["fare"]).predict([{"fare": 3.0}]).shape == (1,)',
    "fitted.predict(X).shape == (60,)",
    "fitted.score(X, y) > 0.5",
    "BoostingClassifier(3, max_depth=3).fit(X, y).predict(X).shape == (60,)",
    "BoostingClassifier(3, monotonic_cst=[1, 0, 0]).fit(X, y).predict(X).shape == (60,)",
    'BoostingClassifier(3, monotonic_cst={"age": 1}).fit(X, y).predict(X).shape == (60,)',
    "BoostingClassifier(20, n_iter_no_change=2).fit(X, y, eval_set=(X, y)).n_iter_ > 0",
    "BoostingClassifier(20, n_iter_no_change=2).fit(X, y, eval_set=[(X, y)]).n_iter_ > 0",
    "BoostingClassifier(n_estimators=3, learning_rate=0.1, random_state=0).fit(X, y).score(X, y) > 0.4",
    "boosted.feature_importances_.shape == (3,)",
    "forest.feature_importances_.shape == (3,)",
    "boosted.shap_values(X).values.shape == (60, 3)",
    "np.asarray(boosted.shap_values(X)).shape == (60, 3)",
    "boosted.shap_values(X).base_values",
    "boosted.shap_values(X).plot()",
    "probus.impute.SimpleImputer()",
    "probus.impute.TypedImputer()",
    'probus.compose.ColumnTransformer([("n", "passthrough", ["age"])])',
    "probus.compose.make_column_selector",
    "probus.compose.TransformedTargetRegressor()",
    '"annealing_search" not in dir(probus.tuning)',
    'all(name in dir(probus.tuning) for name in ("tune", "Tuned", "Random"))',
    '"resampling" not in dir(probus.model_selection)',
    "probus.model_selection.cross_val_score(bayes, X, y, cv=2).shape == (2,)",
    "probus.model_selection.train_test_split(T, test_size=0.25)[1].n_rows == 15",
    "probus.model_selection.GridSearchCV(bayes, few, cv=2).fit(X, y).best_params_",
    "probus.pipeline.make_pipeline(GaussianNB()).fit(A, y).predict(A).shape == (60,)",
    "probus.metrics.accuracy_score(y, fitted.predict(X)) > 0.5",
    'RandomForestClassifier(n_estimators=3).fit(T.drop("y"), T["y"]).predict(T.drop("y")).shape == (60,)',
]

ANSWERS = [
    ("T.sort_values('age')", r"table\.to_pandas\(\)\.sort_values"),
    ("T.sort('age')", r"table\.to_polars\(\)\.sort"),
    ("T['age'].round()", r"table\.to_pandas\(\)\['age'\]\.round"),
    ("T['age'].hist()", r"column\.plot\(\)"),
    ("T['sex'] + 1", r"column of numbers"),
    ("T.drop('age', axis=0)", r"table\.filter\(mask\)"),
    ("probus.Table('iris')", r"probus\.datasets\.load\('iris'\)"),
    ("probus.Task('iris', 'species')", r"probus\.datasets\.load\('iris'\)"),
    ("probus.fairness.ThresholdOptimizer", r"GroupThresholds\(model, criterion"),
    ("probus.fairness.EqualizedOdds", r"constraints='equalized_odds'"),
    ("probus.datasets.load_iris()", r"probus\.datasets\.iris\(\)"),
    ("probus.concat([T, T])", r"polars\.concat"),
    ("probus.examine(df, y='y')", r"target='y'"),
    ("probus.explain(fitted, X.iloc[0])", r"frame\.iloc\[\[0\]\]"),
    ("fitted.fit(df, 'y')", r"fit\(table\.drop\('y'\), table\['y'\]\)"),
    ("LinearRegression().fit(df[['fare']], 'fare')", r"target='fare'"),
    ("r.summary()", r"print\(result\)"),
    ("r.accuracy", r"result\['accuracy'\]"),
    ("r.to_pandas()", r"result\.to_frame\(\)\.to_pandas\(\)"),
    ("r.plot_rocc()", r"did you mean plot_roc"),
    ("c.winner", r"result\.best"),
    ("c.report()", r"result\.save\('report\.html'\)"),
    ("tuned.best_params", r"tuned\.best_params_"),
    ("tuned.best_value", r"tuned\.best_score_"),
    ("tuned.trials_dataframe()", r"tuned\.archive\.to_frame\(\)"),
    ("probus.resample(bayes, task, scoring='auc')", r"Did you mean 'roc_auc'"),
    ("probus.resample(bayes, task, scoring='acc')", r"Did you mean 'accuracy'"),
    ("probus.resample(NaiveBayes, task)", r"Pass NaiveBayes\(\)"),
    ("LogisticRegression().fit(X, y)", r"probus\.tabular\(LogisticRegression\(\)\)"),
    ("pd.DataFrame(T)", r"table\.to_pandas\(\)"),
    ("probus.read_csv('x.csv')", r"probus\.read\('x\.csv'\)|probus\.read\(path\)"),
    ("probus.read('s3://nowhere-at-all/rows.csv')", r"s3"),
    ("probus.read('http://127.0.0.1:9/rows.csv')", r"127\.0\.0\.1:9"),
    ("probus.cross_val_score", r"from probus\.model_selection import cross_val_score"),
    ("probus.RandomForestClassifier", r"from probus\.ensemble import RandomForestClassifier"),
    ("probus.train_test_split", r"from probus\.model_selection import train_test_split"),
    ("probus.fit", r"probus\.study"),
    ("probus.predict", r"model\.predict"),
    ("probus.feature_importance", r"probus\.importance\(model, X, y\)"),
    ("T.groupby('sex')", r"\.to_pandas\(\)\.groupby"),
    ("T.iloc[0]", r"table\[0\]|table\[rows\]"),
    ("T.loc[0]", r"table\[rows\]"),
    ("T.query('age > 30')", r"table\[table\[.age.\] > 30\]"),
    ("T.fillna(0)", r"probus\.tabular|\.to_pandas\(\)\.fillna"),
    ("T.age", r"table\['age'\]"),
    ("T['Age']", r"'age'"),
    ("T['z'] ", r"one of 'age'"),
    ("T.assign(z=1)", r"with_columns"),
    ("T['z'] = T['age']", r"with_columns"),
    ("T['age'].fillna(0)", r"\.to_pandas\(\)|tabular"),
    ("T['sex'].mean()", r"numbers"),
    ("T.sample(100)", r"60 rows"),
    ("T.sample(2.5)", r"2\.5 rows to draw"),
    ("T.sample(0.1)", r"table\.sample\(frac=0\.1\)"),
    ("forest.predict([])", r"found an empty list"),
    ("fitted.predict([])", r"found an empty list"),
    ("probus.tune(bayes, task, n_trials=5)", r"evaluations=5"),
    ("probus.tune(bayes, task, n_iter=5)", r"evaluations=5"),
    ("probus.tune(bayes, task, timeout=5)", r"time=5"),
    ("probus.study(df, target='y', time_limit=5)", r"time=5"),
    ("probus.study(df, label='y')", r"target='y'"),
    ("probus.resample(bayes, task, metric='f1')", r"scoring='f1'"),
    ("probus.resample(bayes, task, folds=5)", r"cv=5"),
    ("probus.resample(bayes, task, seed=5)", r"random_state=5"),
    ("probus.compare([bayes, bayes], task, metrics=['f1'])", r"scoring="),
    ("probus.tune(bayes, task, tuner='randm')", r"'random'"),
    ("probus.tune(bayes, task, time=5, budget=5)", r"time"),
    ("probus.resample(bayes, df, target='z')", r"'y'"),
    ("probus.resample(bayes, df)", r"target=|y as the next"),
    ("probus.resample(bayes, task, target='y')", r"Task"),
    ("probus.tune(bayes, task, time='soon')", r"'90s'"),
    ("probus.compare([bayes, bayes], task, time='soon')", r"'90s'"),
    ("probus.study(df, target='y', time='soon')", r"'90s'"),
    ("fitted.predict([{'age': 3}])", r"'fare'"),
    ("forest.predict(pd.DataFrame({'age': [3.0]}))", r"'fare'"),
    ("r['acuracy']", r"accuracy"),
    ("r.save('rows.xyz')", r"\.html"),
    ("probus.load('nothing.probus')", r"nothing\.probus"),
    ("BoostingClassifier(3, monotonic_cst={'sex': 1}).fit(X, y)", r"(?i)categorical|nominal"),
    ("BoostingClassifier(3, eval_set=[(X, y)])", r"fit\(X, y, eval_set=\(X_val, y_val\)\)"),
    ("BoostingClassifier(3).fit(X, y, eval_set=X)", r"eval_set=\(X_val, y_val\)"),
    ("BoostingClassifier(num_leaves=31)", r"max_leaf_nodes=31"),
    ("BoostingClassifier(early_stopping_rounds=10)", r"n_iter_no_change=10"),
    ("BoostingClassifier(reg_lambda=1.0)", r"l2_regularization=1.0"),
    ("BoostingClassifier(n_estimatrs=10)", r"n_estimators"),
    ("T.isna()", r"table\['age'\]\.isna\(\)"),
    ("T.to_csv('rows.csv')", r"table\.save\('rows\.csv'\)"),
    ("T.dtypes", r"table\.kinds"),
    ("T.values", r"table\.numbers\(\)"),
    ("probus.Task(X, y=y)", r"Task\(X, y\)"),
    ("probus.Task(df, label='y')", r"target='y'"),
    ("probus.read('rows.csv', sep=';')", r"delimiter=';'"),
    ("probus.read('rows.csv', na_values='?')", r"missing='\?'"),
    ("probus.explain_model", r"probus\.explain"),
    ("T[5, 'age']", r"table\[.age.\]\[5\]"),
    ("T[lambda t: t['age'] > 30]", r"table\[table\[.age.\] > 30\]"),
    ("T[0.5]", r"whole numbers"),
    ("T.select(pl.col('age'))", r"table\.to_polars\(\)\.select"),
    ("T.to_dict('records')", r"table\.to_pandas\(\)\.to_dict\('records'\)"),
    ("del T['y']", r"table\.drop\('y'\)"),
    ("T.nrows", r"table\.n_rows"),
    ("T.column_names", r"table\.names"),
    ("T.shuffle()", r"table\.sample\(frac=1\.0\)"),
    ("T.train_test_split()", r"train_test_split\(table"),
    ("T.with_column(z=1)", r"with_columns"),
    ("probus.datasets.iris().target", r"table\['species'\]"),
    ("probus.datasets.load('Iris')", r"'iris'"),
    ("probus.datasets.make_classification()", r"sklearn\.datasets\.make_classification"),
    ("probus.read('rows.csv', dtype={'age': str})", r"kinds=\{'name': 'nominal'"),
    ("probus.read('rows.csv', nrows=5)", r"head\(n\)"),
    ("probus.read('rows.csv', index_col=0)", r"drop\('name'\)"),
    ("probus.study(df, target='y', models=['rf'])", r"Use 'forest'"),
    ("probus.study(df, target='y', models=['xgboost'])", r"XGBClassifier\(\)"),
    ("probus.study(df, target='y', models=bayes)", r"\[model\]"),
    ("probus.study(df, target=df['y'])", r"Use its name, 'y'"),
    ("probus.study(df, target='y', verbose=0)", r"progress=None"),
    ("probus.study(df, target='y', task='classification')", r"kind='classification'"),
    ("probus.study(df, target='y', test_size=0.2)", r"train_test_split"),
    ("probus.study(train=df, target='y')", r"study\(table, target='y'\)"),
    ("probus.resample(bayes, df, df['y'])", r"target='y'"),
    ("probus.resample([bayes], task)", r"compare\(models, task\)"),
    ("probus.resample(bayes, task, repeats=2)", r"RepeatedStratifiedKFold"),
    ("probus.resample(bayes, task, shuffle=True)", r"cv=5"),
    ("probus.resample(bayes, task, cv='loo')", r"LeaveOneOut\(\)"),
    ("probus.tune(bayes, task, tuner='tpe')", r"OptunaTuner\('tpe'\)"),
    ("probus.tune(bayes, task, direction='maximize')", r"follows from the measure"),
    ("probus.tune(bayes, task, space={'alpha': __import__('scipy.stats').stats.uniform(0, 1)})", r"Real\(0\.1, 1\.0\)"),
    ("tuned.plot_optimization_history()", r"tuned\.plot\(\)"),
    ("s.best_estimator_", r"result\.model"),
    ("s.explain(X)", r"probus\.explain\(result\.model, X\)"),
    ("s.feature_importances_", r"importance of columns"),
    ("s.scores", r"result\.leaderboard"),
    ("c.p_value", r"result\.tests"),
    ("probus.save('m.probus', fitted)", r"save\(model, 'm\.probus'\)"),
    ("forest.predict('rows.csv')", r"probus\.read\('rows\.csv'\)"),
    ("fitted.predict('rows.csv')", r"probus\.read\('rows\.csv'\)"),
    ("forest.score(df, 'y')", r"table\['y'\]"),
    ("forest.plot()", r"probus\.resample\(model, X, y\)\.plot\(\)"),
    ("forest.explain(X)", r"probus\.explain\(model, X\)"),
    ("logistic.coef_", r"pipeline\[-1\]\.coef_"),
    ("RandomForestClassifier(n_trees=5)", r"n_estimators=5"),
    ("RandomForestClassifier(mtry=2)", r"max_features=2"),
    ("BoostingClassifier(max_iter=9)", r"n_estimators=9"),
    ("BoostingClassifier(early_stopping=True)", r"n_iter_no_change=10"),
    ("BoostingClassifier(scale_pos_weight=2)", r"class_weight=\{positive: weight\}"),
    ("BoostingClassifier().fit(X, y, early_stopping_rounds=5)", r"BoostingClassifier\(n_iter_no_change="),
    ("BoostingClassifier().fit(X, y, categorical_feature=['sex'])", r"categorical_features="),
    ("BoostingClassifier().fit(X, y, verbose=False)", r"prints nothing"),
    ("probus.metrics.accuracy", r"accuracy_score"),
    ("probus.seed(0)", r"random_state=0"),
    ("probus.describe(df)", r"table\.describe\(\)"),
    ("probus.TabularPredictor(label='y')", r"probus\.study"),
    ("probus.DMatrix(A, y)", r"probus\.Table"),
]


def run(code, folder, address=None):
    """The value of the line; a comparison is required to be true."""
    names = {**world(), "folder": folder, "address": address}
    if any(f"{name}." in code or f"{name}[" in code or f"({name})" in code for name in ("r", "c", "s", "tuned")):
        names |= results()
    try:
        value = eval(code, names)
    except SyntaxError:
        return exec(code, names)
    if any(mark in code for mark in (" == ", " > ", " in ", ".exists()", " is ", "all(")):
        assert np.all(value)
    return value


SLOW = ['s.save(folder / "s.html").exists()', 's.report(folder / "s.html").exists()']


@pytest.mark.parametrize(
    "code", [*TABLES, *TASKS, *RESULTS, *MODELS, *(pytest.param(code, marks=pytest.mark.slow) for code in SLOW)]
)
def test_what_users_type_first_works(code, tmp_path, address, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run(code, tmp_path, address)


@pytest.mark.parametrize(("code", "answer"), ANSWERS, ids=[code for code, _ in ANSWERS])
def test_what_does_not_work_is_answered_with_the_line_to_type(code, answer, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Exception, match=answer):
        run(code, tmp_path)
