"""A MAP program by a quadratic solver: programs.py SOLVER FOLDER, which holds what programs.go wrote.

The variables are x = (y, s), with a slack s for each potential:

    min  sum_y eps y^2 + sum_s (w s + q s^2)   s.t.  a y + b <= s,  a y + b <= 0 or = 0,  0 <= y <= 1,  0 <= s (linear)
"""

import os
import sys

import numpy
import scipy.sparse as sparse

import side

TOLERANCE = 1e-6
INEQUALITY, EQUALITY, LINEAR, SQUARED = range(4)


class Program:
    def __init__(self, folder):
        def read(name, kind):
            return numpy.fromfile(os.path.join(folder, name), kind)

        self.n, self.rows = (int(v) for v in read('sizes', '<i8'))
        self.kinds = read('kinds', '<i4')
        self.b = {False: read('b', '<f8'), True: read('moved', '<f8')}
        cost, box = read('cost', '<f8').reshape(-1, 2), read('box', '<f8').reshape(2, -1)
        a = sparse.csr_matrix((read('val', '<f8'), read('col', '<i4'), read('ptr', '<i4')), shape=(self.rows, self.n))
        self.soft = self.kinds >= LINEAR
        m = self.m = int(self.soft.sum())
        slack = sparse.csr_matrix((-numpy.ones(m), (numpy.flatnonzero(self.soft), numpy.arange(m))), shape=(self.rows, m))
        whole = sparse.hstack([a, slack], format='csr')
        self.equal = self.kinds == EQUALITY
        self.A, self.G = whole[self.equal].tocsc(), whole[~self.equal].tocsc()
        self.P = sparse.diags(2 * numpy.concatenate([numpy.full(self.n, read('epsilon', '<f8')[0]), cost[self.soft, 1]]), format='csc')
        self.q = numpy.concatenate([numpy.zeros(self.n), cost[self.soft, 0]])
        free = numpy.where(self.kinds[self.soft] == SQUARED, -numpy.inf, 0)
        self.lower, self.upper = numpy.concatenate([box[0], free]), numpy.concatenate([box[1], numpy.full(m, numpy.inf)])

    def sides(self, moved):
        """Right-hand sides of the equalities and of the inequalities."""
        return -self.b[moved][self.equal], -self.b[moved][~self.equal]

    def write(self, path, x, equal, unequal, lower, upper):
        """Writes an answer with its multipliers, all of which are at least 0 but for equalities."""
        dual = numpy.empty(self.rows)
        dual[self.equal], dual[~self.equal] = equal, unequal
        n = self.n
        numpy.concatenate([x[:n], x[n:], dual, lower[:n], upper[:n], lower[n:]]).astype('<f8').tofile(path)


class PIQP:
    packages = ['piqp', 'numpy', 'scipy']

    def __init__(self, p):
        self.p = p

    def first(self):
        import piqp
        p = self.p
        self.solver = piqp.SparseSolver()
        s = self.solver.settings
        s.eps_abs, s.eps_rel, s.eps_duality_gap_abs, s.eps_duality_gap_rel, s.check_duality_gap = TOLERANCE, 0, TOLERANCE, 0, True
        s.max_iter = 1000
        b, h = p.sides(False)
        low = numpy.full(len(h), -numpy.inf)
        self.solver.setup(p.P, p.q, p.A, b, p.G, low, h, p.lower, p.upper)
        return self.again()

    def again(self, moved=None):
        if moved is not None:
            b, h = self.p.sides(moved)
            self.solver.update(b=b, h_u=h)
        status = self.solver.solve()
        if 'SOLVED' not in str(status).upper() or 'UNSOLVED' in str(status).upper():
            raise RuntimeError(str(status))
        r = self.solver.result
        return r.x, r.y, numpy.asarray(r.z_u) - r.z_l, r.z_bl, r.z_bu

    warm = again


class Clarabel:
    packages = ['clarabel', 'numpy', 'scipy']

    def __init__(self, p):
        self.p = p
        n = p.n + p.m
        self.low, self.up = numpy.flatnonzero(numpy.isfinite(p.lower)), numpy.flatnonzero(numpy.isfinite(p.upper))
        unit = sparse.eye(n, format='csr')
        self.matrix = sparse.vstack([p.A, p.G, -unit[self.low], unit[self.up]], format='csc')

    def side(self, moved):
        return numpy.concatenate([*self.p.sides(moved), -self.p.lower[self.low], self.p.upper[self.up]])

    def first(self):
        import clarabel
        p = self.p
        s = clarabel.DefaultSettings()
        s.verbose, s.tol_feas, s.tol_gap_abs, s.tol_gap_rel = False, TOLERANCE, TOLERANCE, 0
        s.presolve_enable = False  # so that constants can be updated; no bound is infinite
        s.max_iter, s.max_threads = 1000, side.threads()
        e, i = p.A.shape[0], self.matrix.shape[0] - p.A.shape[0]
        self.solver = clarabel.DefaultSolver(sparse.triu(p.P, format='csc'), p.q, self.matrix, self.side(False), [clarabel.ZeroConeT(e), clarabel.NonnegativeConeT(i)], s)
        return self.again()

    def again(self, moved=None):
        if moved is not None:
            self.solver.update(b=self.side(moved))
        answer = self.solver.solve()
        if str(answer.status) not in ('Solved', 'AlmostSolved'):
            raise RuntimeError(str(answer.status))
        p, z, n = self.p, numpy.array(answer.z), self.p.n + self.p.m
        e, g, low = p.A.shape[0], p.G.shape[0], len(self.low)
        lower, upper = numpy.zeros(n), numpy.zeros(n)
        lower[self.low], upper[self.up] = z[e + g:e + g + low], z[e + g + low:]
        return numpy.array(answer.x), z[:e], z[e:e + g], lower, upper

    warm = again


class OSQP:
    packages = ['osqp', 'numpy', 'scipy']

    def __init__(self, p):
        self.p = p
        self.matrix = sparse.vstack([p.A, p.G, sparse.eye(p.n + p.m)], format='csc')

    def sides(self, moved):
        b, h = self.p.sides(moved)
        return numpy.concatenate([b, numpy.full(len(h), -numpy.inf), self.p.lower]), numpy.concatenate([b, h, self.p.upper])

    def first(self):
        import osqp
        self.solver = osqp.OSQP()
        low, up = self.sides(False)
        self.solver.setup(sparse.triu(self.p.P, format='csc'), self.p.q, self.matrix, low, up, verbose=False, eps_abs=TOLERANCE, eps_rel=TOLERANCE, max_iter=10**9)
        return self.solve()

    def solve(self):
        answer = self.solver.solve()
        if not answer.info.status.startswith('solved'):
            raise RuntimeError(answer.info.status)
        e, g = self.p.A.shape[0], self.p.G.shape[0]
        y = answer.y
        bounds = y[e + g:]
        return answer.x, y[:e], y[e:e + g], numpy.maximum(-bounds, 0), numpy.maximum(bounds, 0)

    def again(self):
        self.solver.warm_start(x=numpy.zeros(self.p.n + self.p.m), y=numpy.zeros(self.matrix.shape[0]))
        return self.solve()

    def warm(self, moved):
        low, up = self.sides(moved)
        self.solver.update(l=low, u=up)
        return self.solve()


class HiGHS:
    packages = ['highspy', 'numpy', 'scipy']

    def __init__(self, p):
        self.p = p
        self.matrix = sparse.vstack([p.A, p.G], format='csc')

    def first(self):
        import highspy
        p = self.p
        self.highs, self.error = highspy.Highs(), highspy.HighsModelStatus.kSolveError
        self.highs.setOptionValue('output_flag', False)
        self.highs.setOptionValue('threads', side.threads())
        for option in ('primal_feasibility_tolerance', 'dual_feasibility_tolerance', 'optimality_tolerance', 'ipm_optimality_tolerance'):
            self.highs.setOptionValue(option, TOLERANCE)
        model = highspy.HighsModel()
        lp, q, b, h = model.lp_, model.hessian_, *p.sides(False)
        n, rows = p.n + p.m, self.matrix.shape[0]
        lp.num_col_, lp.num_row_, lp.col_cost_ = n, rows, p.q
        infinite = self.highs.getInfinity()
        lp.col_lower_, lp.col_upper_ = numpy.maximum(p.lower, -infinite), numpy.minimum(p.upper, infinite)
        lp.row_lower_, lp.row_upper_ = numpy.concatenate([b, numpy.full(len(h), -infinite)]), numpy.concatenate([b, h])
        lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = self.matrix.indptr, self.matrix.indices, self.matrix.data
        q.dim_, q.format_ = n, highspy.HessianFormat.kTriangular
        q.start_, q.index_, q.value_ = p.P.indptr, p.P.indices, p.P.data
        self.highs.passModel(model)
        return self.solve()

    def solve(self):
        self.highs.run()
        if self.highs.getModelStatus() == self.error:  # what a start from the last answer ends in
            self.highs.clearSolver()
            self.highs.run()
        status = self.highs.modelStatusToString(self.highs.getModelStatus())
        if status != 'Optimal':
            raise RuntimeError(status)
        s = self.highs.getSolution()
        e = self.p.A.shape[0]
        rows, bounds = -numpy.array(s.row_dual), numpy.array(s.col_dual)
        return numpy.array(s.col_value), rows[:e], rows[e:], numpy.maximum(bounds, 0), numpy.maximum(-bounds, 0)

    def again(self):
        self.highs.clearSolver()
        return self.solve()

    def warm(self, moved):
        b, h = self.p.sides(moved)
        low, up = numpy.concatenate([b, numpy.full(len(h), -self.highs.getInfinity())]), numpy.concatenate([b, h])
        self.highs.changeRowsBounds(len(low), numpy.arange(len(low), dtype=numpy.int32), low, up)
        return self.solve()


def main(name, folder):
    p = Program(folder)
    solver = {'PIQP': PIQP, 'Clarabel': Clarabel, 'OSQP': OSQP, 'HiGHS': HiGHS}[name](p)
    state = {}

    def reply(words, seconds):
        def keep(answer):
            state['answer'] = answer

        if words[0] == 'first':
            said = side.repeat(seconds, lambda: keep(solver.first()))
            state['there'] = False
        elif words[0] == 'again':
            if state.get('there', True):
                solver.first()
            state['there'] = False
            said = side.repeat(seconds, lambda: keep(solver.again()))
        else:
            if 'there' not in state:
                solver.first()
            elif state['there']:
                solver.warm(False)
            state['there'] = False

            def step():
                state['there'] = not state['there']
                keep(solver.warm(state['there']))

            said = side.repeat(seconds, step)
            if not state['there']:
                step()
        p.write(os.path.join(folder, name), *state['answer'])
        return said

    side.serve(side.versions(*solver.packages), reply)


main(*sys.argv[1:])
