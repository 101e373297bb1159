//! Pictures of a page.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::Deserialize;
use serde_json::json;

use super::Tab;
use super::error::TabError;

/// Pixels from top to bottom of a picture; what lies below says nothing more to a person.
pub const HIGHEST_PICTURE: u32 = 12_000;

#[derive(Deserialize)]
struct Captured {
    data: String,
}

impl Tab {
    /// A picture of the window, or of the whole page, as PNG.
    pub async fn screenshot(&self, full: bool) -> Result<Vec<u8>, TabError> {
        let mut params = json!({ "format": "png" });
        if full {
            let height: u32 = self
                .answer(
                    "height",
                    super::evaluate::World::Own,
                    "Math.ceil((document.scrollingElement||document.documentElement).scrollHeight)",
                )
                .await?;
            params = json!({
                "format": "png",
                "captureBeyondViewport": true,
                "clip": {
                    "x": 0, "y": 0, "scale": 1,
                    "width": self.options.viewport.width,
                    "height": height.clamp(1, HIGHEST_PICTURE),
                },
            });
        }
        let capture = self.page.send::<Captured>("Page.captureScreenshot", params);
        let capture = capture.within(Duration::from_secs(20)).wait();
        tokio::pin!(capture);
        let captured = loop {
            // Capturing waits for frames, and those are drawn only when asked for.
            tokio::select! {
                captured = &mut capture => break captured?,
                () = tokio::time::sleep(Duration::from_millis(20)), if self.frames_on_demand => {
                    self.draw(false).await?;
                }
            }
        };
        BASE64
            .decode(captured.data)
            .map_err(|error| TabError::Agent { what: "screenshot", reason: error.to_string() })
    }
}
