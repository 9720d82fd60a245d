// Package browser tests the page of package serve in a headless Chromium, driven by
// chromedp. It is a module of its own, so that the project needs neither; without a
// Chromium its test is skipped.
package browser
