"""A tree, its text, its picture, its structure and its pruning."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn import tree
from sklearn.datasets import load_iris
from sklearn.metrics import accuracy_score
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, export_graphviz, export_text, plot_tree

iris = load_iris()
X_train, X_test, y_train, y_test = train_test_split(iris.data, iris.target, random_state=0)
clf = DecisionTreeClassifier(max_leaf_nodes=4, random_state=0).fit(X_train, y_train)
text = export_text(clf, feature_names=iris.feature_names, class_names=list(iris.target_names), show_weights=True)
print(text)
fig = plt.figure(figsize=(6, 4))
annotations = plot_tree(clf, feature_names=iris.feature_names, class_names=iris.target_names, filled=True, fontsize=6)
assert set(annotations) <= set(fig.axes[0].texts)
tree.plot_tree(DecisionTreeRegressor(max_depth=2).fit(X_train, y_train))
plt.close("all")
dot = export_graphviz(clf, out_file=None, feature_names=iris.feature_names, class_names=iris.target_names, filled=True)
assert dot.startswith("digraph Tree")

children_left, children_right = clf.tree_.children_left, clf.tree_.children_right
stack, leaves = [(0, 0)], 0
while stack:
    node, depth = stack.pop()
    if children_left[node] != children_right[node]:
        stack += [(children_left[node], depth + 1), (children_right[node], depth + 1)]
    else:
        leaves += 1
assert leaves == clf.get_n_leaves()
path = clf.decision_path(X_test)
leaf = clf.apply(X_test)
on_path = path.indices[path.indptr[0] : path.indptr[1]]
assert leaf[0] in on_path
for node in on_path:
    if node != leaf[0]:
        feature, threshold = clf.tree_.feature[node], clf.tree_.threshold[node]
        print(node, feature, X_test[0, feature] <= threshold, clf.tree_.impurity[node], clf.tree_.n_node_samples[node])

pruning = clf.cost_complexity_pruning_path(X_train, y_train)
pruned = [DecisionTreeClassifier(random_state=0, ccp_alpha=alpha).fit(X_train, y_train) for alpha in pruning.ccp_alphas]
scores = {
    "accuracy": accuracy_score(y_test, clf.predict(X_test)),
    "largest alpha": pruning.ccp_alphas[-1],
    "best pruned": max(model.score(X_test, y_test) for model in pruned),
    "depth": clf.get_depth() / 10,
    "value": float(np.asarray(clf.tree_.value).shape == (clf.tree_.node_count, 1, 3)),
    "importance of the petals": clf.feature_importances_[2:].sum(),
}
