// Package familytest makes rule models of any size, with data, for benchmarks
// and for tests of scale.
//
// A Family is a rule file and a generator of data for it. Family.Model makes a
// Model of about the number of ground terms asked for; Model.Ground grounds it.
// The families differ in what makes inference hard:
//
//	chain            one long path: information has to travel far
//	grid             an image with linear hinges: many ties, wide bands of equal values
//	picture          another one, of ramps: few ties, and places that move
//	cube             a body of three dimensions, hinges as in grid: no factor of it stays sparse
//	knn-regression   neighbours in the plane, linear hinges: one component, no order
//	knn-labels       the same with categories and Σ_c y_c = 1
//	citation         a citation graph, half of the papers observed: one large
//	                 component and hundreds of small ones, rows that occur twice;
//	                 Citation makes it of a given graph, such as Cora
//	add1-*, add2-*   the paper's additions of MNIST digits: many small components
//	                 that are all alike; -soft with the outputs of a network in
//	                 training, -sharp with those of a confident one
//
// Where a model has neural outputs g, Model.Outputs holds them and Model.Moved
// gives outputs after a change as in one step of learning.
//
// Everything follows from family, size and seed: same arguments, same model.
// Errors are those of grounding. Families may be used by many goroutines at
// once, a Model only by one that grounds it.
package familytest
