//! Color of a business on its pages, emails and papers, with text on it that everybody can read (WCAG 2.2 AA).
//!
//! `web/src/features/settings/organization/brand-color.ts` computes the same for the preview.

use std::fmt;

use serde::{Serialize, Serializer};
use utoipa::ToSchema;

/// Contrast ratio of text, WCAG 2.2 success criterion 1.4.3.
const READABLE: f64 = 4.5;
const WHITE: BrandColor = BrandColor([0xff; 3]);
const BLACK: BrandColor = BrandColor([0; 3]);
/// Darkest surface of the light theme: what is readable on it is readable on the others.
const LIGHT_SURFACE: BrandColor = BrandColor([0xe3, 0xe9, 0xf2]);
/// Lightest surface of the dark theme.
const DARK_SURFACE: BrandColor = BrandColor([0x1a, 0x25, 0x40]);

/// An sRGB color, written `#00616f`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrandColor([u8; 3]);

/// The colors of a business in one theme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BrandTheme {
    /// Background of a button.
    #[schema(value_type = String)]
    pub fill: BrandColor,
    /// Text on that background.
    #[schema(value_type = String)]
    pub on_fill: BrandColor,
    /// Links, edges and focus rings on the page.
    #[schema(value_type = String)]
    pub ink: BrandColor,
}

/// The colors of a business in both themes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct BrandPalette {
    pub light: BrandTheme,
    pub dark: BrandTheme,
}

impl BrandPalette {
    /// Colors of a business that has chosen none.
    pub const TOOLBOX: Self = Self {
        light: BrandTheme { fill: BrandColor([0, 0x61, 0x6f]), on_fill: WHITE, ink: BrandColor([0, 0x61, 0x6f]) },
        dark: BrandTheme {
            fill: BrandColor([0x22, 0xe6, 0xf2]),
            on_fill: BrandColor([0x04, 0x12, 0x1a]),
            ink: BrandColor([0x22, 0xe6, 0xf2]),
        },
    };
}

impl BrandColor {
    /// Six hex digits after `#`, in upper or lower case.
    #[must_use]
    pub fn parse_hex(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#').filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
        let channel = |from: usize| digits.get(from..from + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
        let color = Self([channel(0)?, channel(2)?, channel(4)?]);
        (digits.len() == 6).then_some(color)
    }

    /// Red, green and blue from 0 to 1.
    #[must_use]
    pub fn unit_channels(self) -> [f32; 3] {
        self.0.map(|channel| f32::from(channel) / 255.0)
    }

    #[must_use]
    pub fn build_palette(self) -> BrandPalette {
        let on_fill = if self.contrast_ratio(WHITE) >= READABLE { WHITE } else { BLACK };
        let theme = |surface, toward| BrandTheme { fill: self, on_fill, ink: self.readable_on(surface, toward) };
        BrandPalette { light: theme(LIGHT_SURFACE, BLACK), dark: theme(DARK_SURFACE, WHITE) }
    }

    /// The nearest shade on the way to `toward` that is readable on the surface.
    fn readable_on(self, surface: Self, toward: Self) -> Self {
        let mut shades = (0..=100).map(|percent| self.mix(toward, percent));
        shades.find(|shade| shade.contrast_ratio(surface) >= READABLE).unwrap_or(toward)
    }

    fn mix(self, toward: Self, percent: u16) -> Self {
        let mut mixed = self;
        for (channel, to) in mixed.0.iter_mut().zip(toward.0) {
            let sum = u16::from(*channel) * (100 - percent) + u16::from(to) * percent;
            *channel = u8::try_from((sum + 50) / 100).unwrap_or(u8::MAX);
        }
        mixed
    }

    /// From 1 to 21 (WCAG 2.2, "contrast ratio").
    #[must_use]
    pub fn contrast_ratio(self, other: Self) -> f64 {
        let (one, two) = (self.luminance(), other.luminance());
        (one.max(two) + 0.05) / (one.min(two) + 0.05)
    }

    fn luminance(self) -> f64 {
        let [red, green, blue] = self.0.map(to_linear);
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
}

fn to_linear(channel: u8) -> f64 {
    let share = f64::from(channel) / 255.0;
    if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
}

impl fmt::Display for BrandColor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [red, green, blue] = self.0;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

impl Serialize for BrandColor {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::Deserialize;

    use super::*;

    /// Surfaces of pages and emails, from the darkest to the lightest of each theme.
    const LIGHT: [&str; 4] = ["#e3e9f2", "#eef2f7", "#f2f5fa", "#ffffff"];
    const DARK: [&str; 4] = ["#070b14", "#0b1120", "#111a2e", "#1a2540"];

    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    struct Example {
        color: String,
        on_fill: String,
        light_ink: String,
        dark_ink: String,
    }

    fn color(text: &str) -> BrandColor {
        BrandColor::parse_hex(text).unwrap()
    }

    #[test]
    fn six_hex_digits_are_read_and_all_else_is_refused() {
        assert_eq!(color("#00616F").to_string(), "#00616f");
        for text in ["", "#", "00616f", "#00616", "#00616f0", "#00616g", "#+1+2+3", "red", "#é616f", "#fff"] {
            assert_eq!(BrandColor::parse_hex(text), None, "{text}");
        }
    }

    #[test]
    fn palette_equals_the_examples_of_the_web_app() {
        let examples: Vec<Example> = serde_json::from_str(include_str!("brand_color/examples.json")).unwrap();
        for example in examples {
            let BrandPalette { light, dark } = color(&example.color).build_palette();
            let found = [light.on_fill, dark.on_fill, light.ink, dark.ink].map(|color| color.to_string());
            let wanted = [&example.on_fill, &example.on_fill, &example.light_ink, &example.dark_ink];
            assert_eq!(found.each_ref(), wanted, "{}", example.color);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn every_color_is_readable_in_both_themes(channels in any::<[u8; 3]>()) {
            let brand = BrandColor(channels);
            let BrandPalette { light, dark } = brand.build_palette();
            for (theme, surfaces) in [(light, LIGHT), (dark, DARK)] {
                prop_assert_eq!(theme.fill, brand);
                prop_assert!(theme.on_fill.contrast_ratio(theme.fill) >= READABLE, "{brand}");
                for surface in surfaces {
                    prop_assert!(theme.ink.contrast_ratio(color(surface)) >= READABLE, "{brand} on {surface}");
                }
            }
        }

        #[test]
        fn written_color_is_read_back(channels in any::<[u8; 3]>()) {
            let brand = BrandColor(channels);
            prop_assert_eq!(BrandColor::parse_hex(&brand.to_string()), Some(brand));
        }
    }
}
