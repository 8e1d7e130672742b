"""The kernels of recommenders: steps of alternating least squares, stochastic descent, and the first n items.

Vectors of users and items have the bias first, then the factors: a rating is predicted as μ + b_u + c_i + z_u · w_i.
"""

from __future__ import annotations

import numpy as np

from probus.compiling import njit

BLOCK = 8  # factors that a step of iALS++ solves for together: one cache line of float32


# -- ratings -------------------------------------------------------------------------------------------


@njit(nogil=True, cache=True, fastmath=True)
def ridge_steps(start, stop, indptr, indices, ratings, others, mean, penalty, ratio, prior, biased, out):
    """The best vectors of users start … stop for fixed items, each by a ridge regression.

    indptr, indices, ratings (IN)  the ratings of each user
    others (IN)   float64[I, k + 1], the vectors of items
    penalty (IN)  float64[U], λ of each user; ratio: of the penalty of the bias to it
    prior (IN)    float64[U, k + 1], what vectors are shrunk to
    biased (IN)   whether there are biases
    out (OUT)     float64[U, k + 1]
    """
    k = others.shape[1]
    gram, right = np.empty((k, k)), np.empty(k)
    longest = 0
    for u in range(start, stop):
        longest = max(longest, indptr[u + 1] - indptr[u])
    rest, columns = np.empty(longest), np.empty((k, longest))
    for u in range(start, stop):
        begin, n = indptr[u], indptr[u + 1] - indptr[u]
        for place in range(n):
            other = others[indices[begin + place]]
            rest[place] = ratings[begin + place] - mean - other[0]
            columns[0, place] = 1.0 if biased else 0.0
            for a in range(1, k):
                columns[a, place] = other[a]
        for a in range(k):
            column = columns[a]
            right[a] = _dot(column, rest, n)
            for b in range(0, a + 1):
                gram[a, b] = _dot(column, columns[b], n)
            weight = penalty[u] * (ratio if a == 0 else 1.0)
            gram[a, a] += weight
            right[a] += weight * prior[u, a]
        if not biased:
            gram[0, 0] = 1.0
            right[0] = 0.0
        _solve(gram, right)
        out[u] = right


@njit(nogil=True, cache=True, fastmath=True)
def _solve(gram, right):
    """Solve for a positive definite matrix, of which the lower half is given, by Cholesky; both are overwritten.

    A direction in which the matrix is singular has the solution 0.
    """
    k = len(right)
    for a in range(k):
        least = 1e-12 * gram[a, a]
        for b in range(a):
            total = gram[a, b]
            for c in range(b):
                total -= gram[a, c] * gram[b, c]
            gram[a, b] = total / gram[b, b] if gram[b, b] > 0.0 else 0.0
        for c in range(a):
            gram[a, a] -= gram[a, c] * gram[a, c]
        gram[a, a] = np.sqrt(gram[a, a]) if gram[a, a] > least else 0.0
    for a in range(k):
        for c in range(a):
            right[a] -= gram[a, c] * right[c]
        right[a] = right[a] / gram[a, a] if gram[a, a] > 0.0 else 0.0
    for a in range(k - 1, -1, -1):
        for c in range(a + 1, k):
            right[a] -= gram[c, a] * right[c]
        right[a] = right[a] / gram[a, a] if gram[a, a] > 0.0 else 0.0


@njit(nogil=True, cache=True)
def residuals(start, stop, indptr, indices, ratings, mine, others, mean, out):
    """Rating less prediction for the ratings of users start … stop."""
    k = mine.shape[1]
    for u in range(start, stop):
        for place in range(indptr[u], indptr[u + 1]):
            i = indices[place]
            predicted = mean + mine[u, 0] + others[i, 0]
            for f in range(1, k):
                predicted += mine[u, f] * others[i, f]
            out[place] = ratings[place] - predicted


@njit(nogil=True, cache=True)
def descend(order, user, item, ratings, mean, users, items, user_penalty, item_penalty, ratio, biased, rate):
    """One epoch of stochastic gradient descent over the ratings in that order, on ½ error² and the penalties' shares.

    user_penalty, item_penalty (IN)  the penalty of each, divided by the number of its ratings
    users, items (IN, OUT)           float64[·, k + 1]
    Returns the global bias after the epoch.
    """
    k = users.shape[1]
    for place in order:
        u, i = user[place], item[place]
        predicted = mean + users[u, 0] + items[i, 0]
        for f in range(1, k):
            predicted += users[u, f] * items[i, f]
        error = predicted - ratings[place]
        if biased:
            mean -= rate * error
            users[u, 0] -= rate * (error + ratio * user_penalty[u] * users[u, 0])
            items[i, 0] -= rate * (error + ratio * item_penalty[i] * items[i, 0])
        for f in range(1, k):
            z, w = users[u, f], items[i, f]
            users[u, f] = z - rate * (error * w + user_penalty[u] * z)
            items[i, f] = w - rate * (error * z + item_penalty[i] * w)
    return mean


# -- implicit feedback ---------------------------------------------------------------------------------


@njit(nogil=True, cache=True, fastmath=True)
def block_steps(start, stop, indptr, indices, weights, others, gram, unobserved, penalty, prior, mine):
    """One sweep of iALS++ (Rendle et al. 2021) over the vectors of users start … stop, a block of factors at a time.

    It lowers Σ c (1 − z · w)² over what users have + α Σ (z · w)² over all items + λ |z − prior|², exactly for each
    block.

    weights (IN)     float32[n], c of each entry; unobserved: α
    others (IN)      float32[I, d], d a multiple of BLOCK; gram: float32[d, d], othersᵀ others
    penalty (IN)     float32[U], λ of each user; prior: float32[U, d]
    mine (IN, OUT)   float32[U, d]
    """
    d = others.shape[1]
    hessian = np.empty((BLOCK, BLOCK), np.float32)
    step, of_all = np.empty(BLOCK, np.float32), np.empty(d, np.float32)
    longest = 0
    for u in range(start, stop):
        longest = max(longest, indptr[u + 1] - indptr[u])
    errors = np.empty(longest, np.float32)
    weighted = np.empty(longest, np.float32)
    own = np.empty((d, longest), np.float32)  # the vectors of the items that the user has, as columns
    for u in range(start, stop):
        begin, n = indptr[u], indptr[u + 1] - indptr[u]
        z, c = mine[u], weights[begin : begin + n]
        for place in range(n):
            w = others[indices[begin + place]]
            for a in range(d):
                own[a, place] = w[a]
        errors[:n] = -1.0
        of_all[:] = 0.0
        for a in range(d):
            za = z[a]
            for place in range(n):
                errors[place] += za * own[a, place]
            for b in range(d):
                of_all[b] += gram[a, b] * za
        for p in range(0, d, BLOCK):
            for a in range(BLOCK):
                for place in range(n):
                    weighted[place] = c[place] * own[p + a, place]
                step[a] = unobserved * of_all[p + a] + penalty[u] * (z[p + a] - prior[u, p + a])
                step[a] += _dot(weighted, errors, n)
                for b in range(0, a + 1, 4):  # four at a time, to read the weighted column less often
                    _add_products(weighted, own, p + b, n, hessian[a], b)
                for b in range(a + 1):
                    hessian[a, b] += unobserved * gram[p + a, p + b]
                    hessian[b, a] = hessian[a, b]
                hessian[a, a] += penalty[u]
            _eliminate(hessian, step)
            for a in range(BLOCK):
                z[p + a] -= step[a]
            for a in range(BLOCK):
                by = step[a]
                for b in range(d):
                    of_all[b] -= gram[p + a, b] * by
                for place in range(n):
                    errors[place] -= by * own[p + a, place]


@njit(nogil=True, cache=True, fastmath=True)
def _eliminate(matrix, right):
    """Solve for a positive definite matrix of BLOCK rows by elimination of whole rows; both are overwritten."""
    for k in range(BLOCK):
        pivot = matrix[k]
        inverse = np.float32(1.0) / pivot[k]
        for a in range(k + 1, BLOCK):
            row = matrix[a]
            factor = row[k] * inverse
            for b in range(BLOCK):
                row[b] -= factor * pivot[b]
            right[a] -= factor * right[k]
    for a in range(BLOCK - 1, -1, -1):
        total = right[a]
        for b in range(a + 1, BLOCK):
            total -= matrix[a, b] * right[b]
        right[a] = total / matrix[a, a]


@njit(nogil=True, cache=True, fastmath=True)
def _dot(x, y, n):
    total = x.dtype.type(0.0)
    for place in range(n):
        total += x[place] * y[place]
    return total


@njit(nogil=True, cache=True, fastmath=True)
def _add_products(x, rows, first, n, out, b):
    """The products of x with four rows, written to out[b …]."""
    s0, s1, s2, s3 = np.float32(0.0), np.float32(0.0), np.float32(0.0), np.float32(0.0)
    r0, r1, r2, r3 = rows[first], rows[first + 1], rows[first + 2], rows[first + 3]
    for place in range(n):
        s0 += x[place] * r0[place]
        s1 += x[place] * r1[place]
        s2 += x[place] * r2[place]
        s3 += x[place] * r3[place]
    out[b], out[b + 1], out[b + 2], out[b + 3] = s0, s1, s2, s3


# -- lists ---------------------------------------------------------------------------------------------


@njit(nogil=True, cache=True)
def first_items(scores, n, out):
    """The n items with the largest scores of each user, in order; equal ones by number, −1 after the last.

    scores (IN)  float64[U, I]; −inf for items that are not to be recommended
    out (OUT)    int32[U, n]
    """
    best = np.empty(n)
    for u in range(scores.shape[0]):
        count = 0
        for i in range(scores.shape[1]):
            score = scores[u, i]
            if score == -np.inf or (count == n and not score > best[n - 1]):
                continue
            place = count if count < n else n - 1
            while place > 0 and score > best[place - 1]:
                best[place] = best[place - 1]
                out[u, place] = out[u, place - 1]
                place -= 1
            best[place] = score
            out[u, place] = i
            count = min(count + 1, n)
        out[u, count:] = -1
