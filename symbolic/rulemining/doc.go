// Package rulemining finds rules in facts and ranks what follows from them.
//
// Facts are triples relation(head, tail). For each relation r these forms of rules are found:
//
//	r(X, Y) ← s₁(X, A), s₂(A, B), s₃(B, Y)     a path of one to five steps, in either direction
//	r(X, c) ← s(X, d)   or   r(X, c) ← s(X, A)  a constant as tail
//	r(c, Y) ← s(Y, d)   or   r(c, Y) ← s(Y, A)  a constant as head
//	r(X, X)                                     a path of no steps
//
// The variables of a path stand for different entities (PathRule has the exception of long rules); A of a rule with a
// constant may be any entity, X or Y itself too.
//
// # Search
//
// A Search goes in rounds. A round draws, for each relation, facts r(h, t) and paths from h to t, and
// generalises each path to a rule, which it judges once: on a sample of the entities that have a fact of r
// it counts the pairs for which the body holds (known) and those of them that are facts (support).
// Rules with constants are found in the first round, with exact counts.
// The confidence support/(known + penalty) is open-world, as entities without any fact of r do not
// count, and pessimistic, as the penalty keeps rules with few examples low. Grade judges path rules further, by how many
// entities stand before the answer on their paths.
//
//	search, err := rulemining.NewSearch(g, g, rulemining.Settings{Seed: 1})
//	for range 10 {
//		err = search.Round(ctx, nil)
//	}
//	rules := search.State[relation].Rules
//
// # Ranking
//
// Rules that say the same for the same reason are a Cluster, in which the rule of highest confidence
// decides; of rules with constants the second and the third count too, as clusters of their own, and
// so do the five best of all rules that hold, by their place. A Model of a relation gives each cluster a weight for each
// level of confidence, for tails asked and for heads asked, and ranks by the sum of weights, which is a noisy or over
// clusters, or over the best rules, for the weights of NoisyOr. How often an answer occurs in facts of the relation has a weight, too, which may rise or fall with it (Popular, Rare). Package train/ruleweights learns the weights. A Firer applies models: it lists, for a query r(h, ?) or r(?, t),
// the entities that rules propose and the clusters that fire.
//
// # Bounds
//
// Constants bound the rules that are kept for a relation, the sample and the edges looked at for a
// rule and for a query. Memory grows with the facts and the kept
// rules only.
//
// # Reproducibility, errors, concurrency
//
// The rules after a number of rounds depend on graph, settings and that number alone: every random number
// is drawn from a generator seeded by (seed, relation, purpose, round), and threads share out relations.
// The exported fields of a Search are its record: another process that reads them and calls Resume goes on to the same rules. A round
// that is interrupted has no effect. A Graph and a Model may be read by many goroutines; a Search and a Firer
// are for one.
package rulemining
