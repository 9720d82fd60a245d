package mnist

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
)

// MaxSplit is the number of the last split.
const MaxSplit = 199

const (
	// heldOut is the number of images for validation, and again for testing.
	heldOut = 1000
	// moreImages is the number of images of the larger test.
	moreImages = 5000
	// MaxDigits is the largest number of digits of a number: one addition of the images
	// held out.
	MaxDigits = heldOut / 2
	// splitStream is the second half of the PCG seed of the first streamSplits splits; the
	// next have the next: with more of one stream, the seeds of neighbouring sizes, which
	// differ by at least two images, would meet.
	splitStream, streamSplits = 0x6d6e6973742d6164, 20
	// pairingStream is the stream of random numbers for pairings, for numbers without digits.
	pairingStream = 0x706169726564
)

// Additions is a list of additions of two numbers of Digits digits each.
type Additions struct {
	// Digits is d, the number of digits of a number.
	Digits int
	// Images holds 2d image indices per addition: the d digits of the first number, most
	// significant first, then the d digits of the second.
	Images []int32
	// Sums holds the sum of each addition.
	Sums []Sum
}

// Len returns the number of additions.
func (a *Additions) Len() int { return len(a.Sums) }

// Row returns the 2d image indices of addition i. They must not be changed.
func (a *Additions) Row(i int) []int32 {
	k := 2 * a.Digits
	return a.Images[i*k : (i+1)*k : (i+1)*k]
}

// Split is one draw of training, validation and test additions. No image is
// used twice, within a part or across parts.
type Split struct {
	// Digits is d.
	Digits int
	// Train, Valid and Test index the Part the split was drawn from.
	Train, Valid, Test Additions
	// More are further additions of the next 5,000 images (or as many as are left):
	// a test, or a validation, with a smaller sampling error.
	More Additions
	// Fresh holds 5,000/d additions of the images behind the first 60,000 in [Set.All],
	// which are MNIST's own test images. It is empty where there are none.
	Fresh Additions
}

// NewSplit draws split number index (0 to MaxSplit; the paper uses 0 to 4) with the given
// number of training additions of d = digits digits a number (1 to MaxDigits) from the first 60,000
// images of part. It needs 2d images for each training addition and 2,000 more: 1,000 for
// validation and 1,000 for testing, which give 500 additions each for d = 1 and 250 for d = 2.
// Images behind the first 60,000 are for Fresh alone, so that [Set.Train] and [Set.All] give
// the same other parts.
//
// The draw follows the reference experiments: with n training images, a permutation seeded by
// 10·(10·n + index) + d (index below 20) is cut into the three parts; each part is shuffled
// again, cut to a multiple of 2d and laid out in rows of 2d images, and the rows are sorted.
// Every size and every index has a different permutation. The generator is PCG, so the images
// differ from the reference's, which uses another generator.
func NewSplit(part *Part, digits, additions, index int) (*Split, error) {
	if err := checkSplit(digits, index); err != nil {
		return nil, err
	}
	row, pool := 2*digits, min(part.Len(), TrainSize)
	if pool < row+2*heldOut {
		return nil, fmt.Errorf("mnist: %d images are too few: a training addition takes %d and %d are held out", pool, row, 2*heldOut)
	}
	if most := (pool - 2*heldOut) / row; additions < 1 || additions > most {
		return nil, fmt.Errorf("mnist: %d training additions, want 1 to %d: each takes %d of %d images and %d images are held out",
			additions, most, row, pool, 2*heldOut)
	}
	n := additions * row
	rng := splitGenerator(n, digits, index)

	images := make([]int32, part.Len())
	for i := range images {
		images[i] = int32(i)
	}
	order, fresh := images[:pool], images[pool:]
	shuffle(rng, order)

	take := func(images []int32) Additions {
		shuffle(rng, images)
		return newAdditions(part, digits, images[:len(images)/row*row])
	}
	s := &Split{Digits: digits}
	s.Train = take(order[:n])
	s.Valid = take(order[n : n+heldOut])
	s.Test = take(order[n+heldOut : n+2*heldOut])
	s.More = take(order[n+2*heldOut:][:min(moreImages, len(order)-n-2*heldOut)])
	s.Fresh = take(fresh)
	return s, nil
}

// checkSplit reports numbers of digits and of splits that there are not.
func checkSplit(digits, index int) error {
	if digits < 1 || digits > MaxDigits {
		return fmt.Errorf("mnist: %d digits a number, want 1 to %d", digits, MaxDigits)
	}
	if index < 0 || index > MaxSplit {
		return fmt.Errorf("mnist: split %d, want 0 to %d", index, MaxSplit)
	}
	return nil
}

// splitGenerator returns the source of split number index of n training images.
func splitGenerator(n, digits, index int) *rand.Rand {
	seed := 10*(10*n+index%streamSplits) + digits
	return rand.New(rand.NewPCG(uint64(seed), splitStream+uint64(index/streamSplits)))
}

// FullSize returns the number of training additions of the full task: all
// 60,000 images of MNIST's training part.
func FullSize(digits int) int { return TrainSize / (2 * digits) }

// NewFullSplit draws the split of the full task out of all 70,000 images (see [Set.All]): the
// training additions use MNIST's training part and the test additions its test part, as is
// usual for this size. No images are left to hold out, so the validation additions are drawn
// from the training images again and do not measure generalisation.
func NewFullSplit(all *Part, digits, index int) (*Split, error) {
	if err := checkSplit(digits, index); err != nil {
		return nil, err
	}
	if all.Len() != TrainSize+TestSize {
		return nil, fmt.Errorf("mnist: %d images, want all %d", all.Len(), TrainSize+TestSize)
	}
	row := 2 * digits
	rng := splitGenerator(TrainSize, digits, index)
	take := func(from, to, images int) Additions {
		order := make([]int32, to-from)
		for i := range order {
			order[i] = int32(from + i)
		}
		shuffle(rng, order)
		return newAdditions(all, digits, order[:images/row*row])
	}
	return &Split{
		Digits: digits,
		Train:  take(0, TrainSize, TrainSize),
		Valid:  take(0, TrainSize, heldOut),
		Test:   take(TrainSize, TrainSize+TestSize, TestSize),
	}, nil
}

// Pairing returns additions of two d-digit numbers of the given images of a part, each
// used at most once, in an order that number and digits determine: what an accuracy on
// few long sums is averaged over.
func Pairing(part *Part, images []int32, digits, number int) Additions {
	rng := rand.New(rand.NewPCG(uint64(number), pairingStream+uint64(digits)))
	images = slices.Clone(images)
	shuffle(rng, images)
	return newAdditions(part, digits, images[:len(images)/(2*digits)*2*digits])
}

func shuffle(rng *rand.Rand, images []int32) {
	rng.Shuffle(len(images), func(i, j int) { images[i], images[j] = images[j], images[i] })
}

// newAdditions lays images out in rows of 2d, sorts the rows and computes the
// sums.
func newAdditions(part *Part, digits int, images []int32) Additions {
	// Images are distinct, so the first column decides.
	rows := slices.SortedFunc(slices.Chunk(images, 2*digits), func(a, b []int32) int { return cmp.Compare(a[0], b[0]) })
	a := Additions{Digits: digits, Images: make([]int32, 0, len(images)), Sums: make([]Sum, 0, len(rows))}
	for _, row := range rows {
		a.Images = append(a.Images, row...)
		a.Sums = append(a.Sums, add(number(part, row[:digits]), number(part, row[digits:])))
	}
	return a
}

// number is the digits of images.
func number(part *Part, images []int32) []int {
	digits := make([]int, len(images))
	for k, i := range images {
		digits[k] = part.Label(int(i))
	}
	return digits
}
