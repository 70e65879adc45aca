//! Every kind of PDF as read by others: its text by `pdftotext`, its ink by `pdftoppm`, its bytes equal when redrawn.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use proptest::prelude::*;
use shared::{
    documents::{
        line_items::{DocumentContent, OptionSelection, PercentOrAmount},
        pdf::{self, EstimatePdf, InvoicePdf, PaymentMeans, PdfRecipient, PdfSender, ReceiptPdf, Signature},
        template::Language,
    },
    platform::config::EnvVars,
};
use tempfile::TempDir;
use tests::sample_documents;

struct Printed {
    folder: TempDir,
}

impl Printed {
    fn new(bytes: &[u8]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("paper.pdf"), bytes).unwrap();
        Self { folder }
    }

    fn tool(&self, program: &str, arguments: &[&str]) -> Vec<u8> {
        let mut command = Command::new(program);
        let made = command.current_dir(self.folder.path()).args(arguments).output();
        let made = made.unwrap_or_else(|error| panic!("{program} (Debian's poppler-utils): {error}"));
        let complaints = String::from_utf8_lossy(&made.stderr).into_owned();
        assert!(made.status.success() && complaints.is_empty(), "{program}: {complaints}");
        made.stdout
    }

    /// The text in page layout, without trailing blanks.
    fn words(&self) -> String {
        let text = String::from_utf8(self.tool("pdftotext", &["-layout", "paper.pdf", "-"])).unwrap();
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        format!("{}\n", lines.join("\n").trim_end())
    }

    fn pages(&self) -> usize {
        self.words().matches('\u{c}').count() + 1
    }

    /// The share of each page that is not white, from 0 to 1.
    fn ink(&self) -> Vec<f64> {
        self.tool("pdftoppm", &["-gray", "-r", "40", "paper.pdf", "page"]);
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(self.folder.path()).unwrap().map(|e| e.unwrap().path()).collect();
        files.retain(|file| file.extension().is_some_and(|kind| kind == "pgm"));
        files.sort();
        files.iter().map(|file| ink_of(&std::fs::read(file).unwrap())).collect()
    }
}

/// For a binary PGM: three numbers after its magic, then a byte for each pixel.
fn ink_of(greymap: &[u8]) -> f64 {
    let header = greymap.iter().enumerate().filter(|(_, byte)| byte.is_ascii_whitespace()).nth(3).unwrap().0;
    let pixels = &greymap[header + 1..];
    #[expect(clippy::cast_precision_loss, reason = "some hundred thousand pixels")]
    let share = pixels.iter().filter(|pixel| **pixel < 250).count() as f64 / pixels.len() as f64;
    share
}

/// Compares with `tests/stories/pdf/<name>.txt`; `GOLDEN=write` rewrites that file, which must be reviewed.
fn reads_as_expected(name: &str, printed: &Printed) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("stories/pdf/{name}.txt"));
    let words = printed.words();
    if EnvVars::from_process().get("GOLDEN").as_deref() == Some("write") {
        std::fs::write(&path, &words).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert_eq!(words, expected, "{name}");
    let ink = printed.ink();
    assert!((0.02..=0.4).contains(&ink[0]), "the first page of {name} has {} of ink", ink[0]);
    assert!(ink.iter().all(|ink| *ink > 0.01), "each page of {name} has something on it: {ink:?}");
}

fn draft() -> EstimatePdf {
    EstimatePdf {
        number: None,
        expires_on: None,
        link: None,
        deposit: PercentOrAmount::None,
        ..sample_documents::estimate()
    }
}

fn typed() -> pdf::ApprovalPage {
    let selection = OptionSelection::default();
    pdf::ApprovalPage {
        signature: Signature::Typed,
        selection,
        ip: None,
        user_agent: None,
        ..sample_documents::approval()
    }
}

fn refund() -> ReceiptPdf {
    ReceiptPdf {
        language: Language::Es,
        number: "RCP-1002".into(),
        is_refund: true,
        means: PaymentMeans::Card,
        note: Some("Cobrado dos veces".into()),
        invoices: Vec::new(),
        credit: shared::platform::money::Cents(1_250),
        ..sample_documents::receipt()
    }
}

fn all() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("estimate", pdf::render_estimate(&sample_documents::estimate())),
        ("options", pdf::render_estimate(&sample_documents::options())),
        ("spanish", pdf::render_estimate(&sample_documents::spanish())),
        ("signed", pdf::render_signed_estimate(&sample_documents::options(), &sample_documents::approval())),
        ("typed", pdf::render_signed_estimate(&sample_documents::estimate(), &typed())),
        ("invoice", pdf::render_invoice(&sample_documents::invoice())),
        ("receipt", pdf::render_receipt(&sample_documents::receipt())),
        ("refund", pdf::render_receipt(&refund())),
    ]
}

#[test]
fn document_text_is_as_expected_and_bytes_are_reproducible() {
    for ((name, bytes), (_, again)) in all().into_iter().zip(all()) {
        assert_eq!(bytes, again, "{name} twice");
        reads_as_expected(name, &Printed::new(&bytes));
    }
}

#[test]
fn another_process_makes_the_same_bytes() {
    let hashes: Vec<String> = all().into_iter().map(|(name, bytes)| format!("{name} {:x?}", digest(&bytes))).collect();
    let mine = hashes.join("\n");
    // The other process is this same test: it writes its hashes to the given file.
    if let Some(path) = EnvVars::from_process().get("PAPERS_OF_ANOTHER") {
        std::fs::write(path, mine).unwrap();
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hashes");
    let other = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "pdf::another_process_makes_the_same_bytes"])
        .env("PAPERS_OF_ANOTHER", &path)
        .output()
        .unwrap();
    assert!(other.status.success(), "{}", String::from_utf8_lossy(&other.stdout));
    assert_eq!(std::fs::read_to_string(path).unwrap(), mine);
}

fn digest(bytes: &[u8]) -> Vec<u8> {
    use sha2::Digest as _;
    sha2::Sha256::digest(bytes).to_vec()
}

#[test]
fn long_estimate_repeats_table_head_and_page_number_on_each_page() {
    let printed = Printed::new(&pdf::render_estimate(&sample_documents::long()));
    let words = printed.words();
    let pages: Vec<&str> = words.split('\u{c}').collect();
    assert!(pages.len() >= 7, "{} pages", pages.len());
    for (at, page) in pages.iter().enumerate() {
        assert!(page.contains(&format!("Page {} of {}", at + 1, pages.len())), "page {}", at + 1);
        if at > 0 {
            assert!(page.contains("Estimate EST-1003 · Nguyễn Văn Ánh & Łukasz Żółć"), "page {}", at + 1);
        }
        // The last page may hold only what follows the table.
        if at + 1 < pages.len() {
            assert!(page.contains("Unit price"), "page {} begins with the heads of the table", at + 1);
        }
    }
    for item in 1..=200 {
        assert!(words.contains(&format!("Item {item} of the renovation")), "item {item}");
    }
    let described: usize = words.matches("sister").count();
    assert!(described >= 54, "the long description is all there: {described}");
    assert_eq!(printed.ink().len(), pages.len());
}

/// A watermark is extracted between the lines, so these are compared by their ink and not by a text.
#[test]
fn draft_estimate_is_marked_and_void_invoice_requests_no_payment() {
    let words = |printed: &Printed| String::from_utf8(printed.tool("pdftotext", &["-raw", "paper.pdf", "-"])).unwrap();
    let plain = Printed::new(&pdf::render_estimate(&EstimatePdf { number: Some("EST-1001".into()), ..draft() }));
    let draft = Printed::new(&pdf::render_estimate(&draft()));
    let pdf_words = words(&draft);
    assert!(
        pdf_words.contains("Total $1,480.54") && !pdf_words.contains("EST-") && !pdf_words.contains("Accepted by"),
        "{pdf_words}"
    );
    assert!(draft.ink()[0] > plain.ink()[0] + 0.02, "{:?} and {:?}", draft.ink(), plain.ink());
    let of =
        |is_void| InvoicePdf { is_void, language: Language::Es, payments: Vec::new(), ..sample_documents::invoice() };
    let (plain, void) = (Printed::new(&pdf::render_invoice(&of(false))), Printed::new(&pdf::render_invoice(&of(true))));
    for asked in ["Saldo pendiente $1,480.54", "CÓMO PAGAR", "https://"] {
        assert!(words(&plain).contains(asked) && !words(&void).contains(asked), "{asked}: {}", words(&void));
    }
    assert!(void.ink()[0] > plain.ink()[0] + 0.01, "{:?} and {:?}", void.ink(), plain.ink());
}

#[test]
fn change_order_lists_previously_agreed_documents_and_new_total() {
    let spoken = |bytes: &[u8]| {
        let words = Printed::new(bytes).words();
        words.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let approval = pdf::ApprovalPage { wording: "I agree.".into(), ..typed() };
    let signed = pdf::render_signed_estimate(&sample_documents::change(Language::En), &approval);
    assert!(
        signed == pdf::render_signed_estimate(&sample_documents::change(Language::En), &approval),
        "the same bytes each time"
    );
    let spoken_text = spoken(&signed);
    for part in [
        "Change order",
        "CO-1002",
        "Job 1007",
        "Rotten subfloor",
        "Agreed before: EST-1001 $1,480.54",
        "Agreed before: CO-1001 −$25.00",
        "This change order $136.39",
        "New total $1,591.93",
        "Approval of change order CO-1002",
        "Everything in the change order on the pages before.",
    ] {
        assert!(spoken_text.contains(part), "{part}:\n{spoken_text}");
    }
    assert!(!spoken_text.contains("stimate"), "{spoken_text}");
    let spoken_text = spoken(&pdf::render_estimate(&sample_documents::change(Language::Es)));
    for part in ["Orden de cambio", "Trabajo 1007", "Acordado antes: EST-1001", "Esta orden de cambio", "Nuevo total"] {
        assert!(spoken_text.contains(part), "{part}:\n{spoken_text}");
    }
}

#[test]
fn minimal_estimate_renders_on_one_page() {
    let bare = EstimatePdf {
        language: Language::En,
        sender: PdfSender { name: "X".into(), logo: Some(b"not a picture".to_vec()), ..PdfSender::default() },
        recipient: PdfRecipient { name: "Y".into(), ..PdfRecipient::default() },
        number: Some("EST-1".into()),
        issued_on: sample_documents::day("2026-01-01"),
        expires_on: None,
        title: None,
        site: None,
        paper: DocumentContent::with_single_line("Work as discussed", shared::platform::money::Cents(1)),
        deposit: PercentOrAmount::None,
        change: None,
        link: None,
    };
    let printed = Printed::new(&pdf::render_estimate(&bare));
    let words = printed.words();
    for expected in ["Estimate", "EST-1", "January 1, 2026", "Work as discussed", "$0.01", "Page 1 of 1"] {
        assert!(words.contains(expected), "{expected}:\n{words}");
    }
    assert_eq!(printed.pages(), 1);
}

#[test]
fn estimate_file_is_under_150_kilobytes() {
    let size = pdf::render_estimate(&sample_documents::estimate()).len();
    assert!(size < 150_000, "{size} bytes");
}

fn wild() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "\\PC{0,300}", "[A-Za-z]{0,400}", "(\n|\r|\t| ){0,20}"]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn signed_estimate_renders_with_arbitrary_text_input(texts in prop::collection::vec(wild(), 12), points in prop::collection::vec(any::<[i32; 2]>(), 0..20)) {
        let text = |at: usize| Some(texts[at].clone());
        let mut of = sample_documents::options();
        of.sender = PdfSender {
            name: texts[0].clone(), logo: Some(texts[1].clone().into_bytes()), address: text(2), phone: text(3),
            email: text(4), website: text(5), licence_line: text(6), color: None,
        };
        of.recipient = PdfRecipient { name: texts[7].clone(), phone: text(8), email: text(9), address: text(10) };
        of.title = text(11);
        of.number = text(0);
        of.link = text(2);
        of.paper.notes = text(3);
        of.paper.lines[0].name = texts[4].clone();
        of.paper.lines[0].description = text(5);
        of.paper.lines[0].unit = texts[6].clone();
        of.paper.lines[0].tax_name = text(7);
        of.paper.options[0].name = texts[8].clone();
        let mut approval = sample_documents::approval();
        approval.name = texts[9].clone();
        approval.user_agent = text(10);
        approval.signature = Signature::Drawn(vec![points]);
        let bytes = pdf::render_signed_estimate(&of, &approval);
        prop_assert_eq!(&bytes[..5], b"%PDF-");
        let printed = Printed::new(&bytes);
        prop_assert!(printed.words().contains("Page 1 of "));
    }
}

/// Few cases: each starts another program.
fn cases() -> u32 {
    u32::try_from(tests::load_size(24, 256)).unwrap()
}
