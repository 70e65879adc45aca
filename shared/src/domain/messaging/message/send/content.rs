//! Content of a claimed message as the provider gets it.

use serde::Deserialize;
use sqlx::types::Json;

use super::ClaimedMessage;
use crate::{
    documents::{
        brand_color::{BrandColor, BrandPalette},
        template::{self, EmailSender},
    },
    platform::error::Result,
};

/// Color from the stored look settings.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct StoredColor {
    color: Option<String>,
}

impl ClaimedMessage {
    /// Replaces `mark` by `text_parts_with_links` at send time, for words that must not be stored.
    pub(crate) fn replace_placeholder(&mut self, mark: &str, words: &str) {
        self.body = self.body.replace(mark, words);
        let Some(Json(page)) = &mut self.page else { return };
        let buttons = [&mut page.button, &mut page.other_button, &mut page.leave].into_iter().flatten();
        for address in page.text.iter_mut().chain(buttons.map(|(_, address)| address)) {
            *address = address.replace(mark, words);
        }
    }

    /// All parts that may contain links to our pages.
    pub(crate) fn text_parts_with_links(&self) -> impl Iterator<Item = &str> {
        let page = self.page.as_ref().map(|page| &page.0);
        let addresses = page.into_iter().flat_map(|page| {
            let buttons = [&page.button, &page.other_button, &page.leave].into_iter().flatten();
            page.text.iter().chain(buttons.map(|(_, address)| address))
        });
        std::iter::once(&self.body).chain(addresses).map(String::as_str)
    }

    /// # Errors
    /// Only if the layout of emails were broken, which a test rules out.
    pub fn render_html(&self) -> Result<Option<String>> {
        let heading = self.subject.as_deref().unwrap_or_default();
        let from = EmailSender { postal_address: self.postal_footer(), brand: self.brand_palette() };
        self.page
            .as_ref()
            .map(|page| template::render_html(&self.org_name, heading, &self.body, page, from))
            .transpose()
    }

    /// # Errors
    /// Only if the picture could not be encoded.
    pub fn render_chart(&self) -> Result<Option<Vec<u8>>> {
        self.page.as_ref().and_then(|page| page.chart.as_ref()).map(template::BarChart::render_png).transpose()
    }

    #[must_use]
    pub fn render_text(&self) -> String {
        let body = template::render_plain_text(&self.body, self.page.as_ref().map(|page| &page.0));
        match self.postal_footer() {
            // A body signed with the business's name does not get it again.
            Some(foot) if body.lines().last().is_some_and(|last| last.trim() == self.org_name) => {
                format!("{body}\n{foot}")
            }
            Some(foot) => format!("{body}\n\n{}\n{foot}", self.org_name),
            None => body,
        }
    }

    /// Unsubscribe address of an email (RFC 8058, which requires https).
    #[must_use]
    pub fn unsubscribe_url(&self) -> Option<&str> {
        let (_, link) = self.page.as_ref()?.leave.as_ref()?;
        link.starts_with("https://").then_some(link)
    }

    /// Colors of the business, in messages to its customers.
    fn brand_palette(&self) -> Option<BrandPalette> {
        let look = self.look.as_ref().filter(|_| self.kind.is_for_customers())?;
        BrandColor::parse_hex(look.color.as_deref()?).map(BrandColor::build_palette)
    }

    /// Postal address of the business, at the foot of messages to its customers (15 USC 7704(a)(5)).
    fn postal_footer(&self) -> Option<&str> {
        self.postal_address.as_deref().filter(|_| self.kind.is_for_customers())
    }
}
