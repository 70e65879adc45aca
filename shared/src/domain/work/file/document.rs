//! Uploaded documents: PDF only, judged by content and not by name.

pub const MAX_DOCUMENT_BYTES: usize = 10 * 1024 * 1024;
/// End record of a ZIP archive, and its minimum distance from the end (APPNOTE.TXT 4.3.16: 22 bytes and a comment).
const ARCHIVE_END: [u8; 4] = *b"PK\x05\x06";
const ARCHIVE_TAIL: usize = 22;
/// The end marker of a PDF is within so many bytes (ISO 32000-1, annex H.3, note 18).
const PDF_TAIL: usize = 1024;

/// Each completes "the file …".
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    #[error("is not a PDF")]
    NotAPdf,
    #[error("is larger than 10 MB")]
    TooLarge,
    #[error("is damaged and cannot be read")]
    Damaged,
}

#[must_use]
pub fn is_pdf(bytes: &[u8]) -> bool {
    bytes.starts_with(b"%PDF-")
}

/// Accepts a complete PDF that is no other format as well. It is stored unchanged and never rendered here.
pub fn validate_pdf(bytes: &[u8]) -> Result<(), DocumentError> {
    if bytes.len() > MAX_DOCUMENT_BYTES {
        return Err(DocumentError::TooLarge);
    }
    let version = bytes.strip_prefix(b"%PDF-").ok_or(DocumentError::NotAPdf)?;
    if !matches!(version, [b'1' | b'2', b'.', b'0'..=b'9', ..]) || is_archive(bytes) {
        return Err(DocumentError::NotAPdf);
    }
    let tail = &bytes[bytes.len().saturating_sub(PDF_TAIL)..];
    let end = find_last(tail, b"%%EOF").ok_or(DocumentError::Damaged)?;
    // Data after the end marker is not part of the PDF.
    if !tail[end + 5..].iter().all(|b| b.is_ascii_whitespace() || *b == 0) {
        return Err(DocumentError::NotAPdf);
    }
    find_last(&tail[..end], b"startxref").map(drop).ok_or(DocumentError::Damaged)
}

/// Archive programs search from the end.
fn is_archive(bytes: &[u8]) -> bool {
    let from = bytes.len().saturating_sub(ARCHIVE_TAIL + usize::from(u16::MAX));
    let ends = bytes[from..].windows(ARCHIVE_TAIL).filter(|end| end.starts_with(&ARCHIVE_END));
    ends.count() > 0
}

fn find_last(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes.windows(needle.len()).rposition(|part| part == needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pdf() -> Vec<u8> {
        b"%PDF-1.4\n1 0 obj <</Type /Catalog>> endobj\nxref\n0 1\ntrailer <</Root 1 0 R>>\nstartxref\n44\n%%EOF\n"
            .to_vec()
    }

    #[test]
    fn complete_pdf_is_accepted() {
        assert_eq!(validate_pdf(&pdf()), Ok(()));
        assert_eq!(validate_pdf(&[pdf(), b"\r\n\0\0".to_vec()].concat()), Ok(()));
    }

    #[test]
    fn incomplete_or_disguised_pdf_is_refused() {
        let with = |at: &[u8]| [pdf(), at.to_vec()].concat();
        let zip_end = [ARCHIVE_END.as_slice(), &[0; 18]].concat();
        let cases: [(Vec<u8>, DocumentError); 10] = [
            (Vec::new(), DocumentError::NotAPdf),
            (b"<html>%PDF-1.4</html>".to_vec(), DocumentError::NotAPdf),
            (b"%PDF-<script>alert(1)</script>%%EOF".to_vec(), DocumentError::NotAPdf),
            ([b"\xff\xd8\xff".to_vec(), pdf()].concat(), DocumentError::NotAPdf),
            ([b"\n".to_vec(), pdf()].concat(), DocumentError::NotAPdf),
            (with(b"<script>alert(1)</script>"), DocumentError::NotAPdf),
            (with(&zip_end), DocumentError::NotAPdf),
            ([b"%PDF-1.4\n%".to_vec(), zip_end, pdf()].concat(), DocumentError::NotAPdf),
            (pdf()[..pdf().len() - 8].to_vec(), DocumentError::Damaged),
            (b"%PDF-1.4\n%%EOF\n".to_vec(), DocumentError::Damaged),
        ];
        for (bytes, wanted) in cases {
            assert_eq!(validate_pdf(&bytes), Err(wanted), "{}", String::from_utf8_lossy(&bytes));
        }
        assert_eq!(validate_pdf(&vec![b'%'; MAX_DOCUMENT_BYTES + 1]), Err(DocumentError::TooLarge));
    }
}
