package circuit

// queue is a heap of prefixes, the largest mass first and the older of equal
// ones.
type queue []*prefix

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	if q[i].mass != q[j].mass {
		return q[i].mass > q[j].mass
	}
	return q[i].id < q[j].id
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(*prefix)) }
func (q *queue) Pop() any {
	last := len(*q) - 1
	x := (*q)[last]
	*q = (*q)[:last]
	return x
}
