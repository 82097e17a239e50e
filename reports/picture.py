"""A page as a picture, taken by headless Chromium; where there is none the picture that is there stays."""
import shutil
import subprocess
import tempfile


def take(page, picture, width, height):
    """The top of the page, so many pixels of it."""
    browser = shutil.which("chromium")
    if browser is None:
        print(f"{picture}: left as it is: there is no chromium")
        return
    with tempfile.TemporaryDirectory() as profile:
        subprocess.run([browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                        f"--user-data-dir={profile}", f"--window-size={width},{height}", "--virtual-time-budget=5000",
                        f"--screenshot={picture}", page.as_uri()], check=True, capture_output=True, timeout=120)
