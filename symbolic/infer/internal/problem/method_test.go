package problem

import (
	"reflect"
	"testing"
)

// Stats are sums: adding counts every field, also ones that are new.
func TestStatsAdd(t *testing.T) {
	var a, b Stats
	x, y := reflect.ValueOf(&a).Elem(), reflect.ValueOf(&b).Elem()
	for i := range x.NumField() {
		x.Field(i).SetInt(int64(100 + i))
		y.Field(i).SetInt(int64(7 * (i + 1)))
	}
	a.Add(&b)
	for i := range x.NumField() {
		if got, want := x.Field(i).Int(), int64(100+i+7*(i+1)); got != want {
			t.Errorf("%s is %d, want %d", x.Type().Field(i).Name, got, want)
		}
	}
}
