"""`rt web` in a real Chromium, driven by Playwright; run by scripts/test --browser."""
