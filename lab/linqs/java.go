package linqs

// javaRandom is the 48-bit linear congruential generator of java.util.Random,
// whose definition is part of the Java platform. Published folds were drawn by
// it.
type javaRandom uint64

const (
	javaMultiplier = 0x5DEECE66D
	javaIncrement  = 0xB
	javaMask       = 1<<48 - 1
)

func newJavaRandom(seed int64) *javaRandom {
	r := javaRandom((uint64(seed) ^ javaMultiplier) & javaMask)
	return &r
}

// eighth returns nextInt(8): the three highest of the next 31 bits.
func (r *javaRandom) eighth() int {
	*r = (*r*javaMultiplier + javaIncrement) & javaMask
	return int(*r >> 45)
}
