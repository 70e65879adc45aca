//! Sample documents of a plumber, for the stories and the bench.

use chrono::{DateTime, NaiveDate, Utc};
use shared::{
    documents::{
        line_items::{DocumentContent, DocumentOption, LineItem, OptionSelection, PercentOrAmount},
        pdf::{
            ApprovalPage, ChangeOrderContext, EstimatePdf, InvoicePdf, PaymentLine, PaymentMeans, PdfRecipient,
            PdfSender, ReceiptPdf, Signature,
        },
        template::Language,
    },
    platform::money::{Cents, Milli, Ppm},
};

pub const LOGO: &[u8] = include_bytes!("sample_documents/logo.png");

#[must_use]
pub fn day(written: &str) -> NaiveDate {
    written.parse().expect("a day")
}

fn at(written: &str) -> DateTime<Utc> {
    written.parse().expect("an instant")
}

fn some(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

#[must_use]
pub fn sender() -> PdfSender {
    PdfSender {
        name: "Acme Plumbing".into(),
        logo: Some(LOGO.to_vec()),
        address: some("1200 Barton Springs Rd\nAustin, TX 78704"),
        phone: some("(512) 555-0100"),
        email: some("office@acme.example"),
        website: some("acme.example"),
        licence_line: some("TX Master Plumber M-12345 · Insured"),
        color: None,
    }
}

#[must_use]
pub fn recipient() -> PdfRecipient {
    PdfRecipient {
        name: "Ann Miller".into(),
        phone: some("(512) 555-0142"),
        email: some("ann@example.com"),
        address: some("845 Oak Street\nAustin, TX 78745"),
    }
}

#[must_use]
pub fn line(id: &str, name: &str, quantity: i64, unit: &str, price: i64) -> LineItem {
    LineItem {
        id: id.into(),
        name: name.into(),
        quantity: Milli(quantity),
        unit: unit.into(),
        unit_price: Cents(price),
        tax: Ppm(82_500),
        tax_name: some("Texas sales tax"),
        ..LineItem::default()
    }
}

fn about(line: LineItem, words: &str) -> LineItem {
    LineItem { description: some(words), ..line }
}

/// One page: four lines, one discounted, one untaxed, a discount of the whole, a deposit, notes and terms.
#[must_use]
pub fn estimate() -> EstimatePdf {
    let lines = vec![
        about(
            line("1", "Remove and haul away old water heater", 1000, "each", 15_000),
            "Drain, disconnect gas and water, carry out, dispose of at the city's recycling station.",
        ),
        about(
            LineItem {
                discount: PercentOrAmount::Percent(Ppm(100_000)),
                ..line("2", "50 gallon gas water heater", 1000, "each", 118_900)
            },
            "Bradford White RG250T6N, 6 year warranty on tank and parts.",
        ),
        line("3", "Copper pipe, ¾″ type L", 18_500, "ft", 640),
        LineItem { tax: Ppm::ZERO, tax_name: None, ..line("4", "City permit", 1000, "each", 8_550) },
    ];
    EstimatePdf {
        language: Language::En,
        sender: sender(),
        recipient: recipient(),
        number: some("EST-1001"),
        issued_on: day("2026-11-21"),
        expires_on: Some(day("2026-12-21")),
        title: some("Water heater replacement"),
        site: some("Garage, 845 Oak Street, Austin, TX 78745"),
        paper: DocumentContent {
            lines,
            discount: PercentOrAmount::Amount(Cents(5_000)),
            notes: some("The gas will be off for about two hours.\nPlease keep the way to the garage free."),
            terms: some(
                "Prices hold for 30 days. Work found to be needed behind walls is quoted before it is done. Payment is \
                 due when the work is done.",
            ),
            ..DocumentContent::default()
        },
        deposit: PercentOrAmount::Percent(Ppm(250_000)),
        change: None,
        link: some("https://toolbox.example/p/mQpT4nA2b6Xr0wYc8uLe1sVd3fGh5jKz7iOa9tBv2Nk"),
    }
}

/// Three options with add-ons, one of them only with the best.
#[must_use]
pub fn options() -> EstimatePdf {
    let of = |option: &str, line: LineItem| LineItem { option_id: some(option), ..line };
    let add_on = |line: LineItem| LineItem { is_optional: true, ..line };
    let choice = |id: &str, name: &str, words: &str| DocumentOption {
        id: id.into(),
        name: name.into(),
        description: some(words),
    };
    let base = estimate();
    let lines = vec![
        line("1", "Remove and haul away old water heater", 1000, "each", 15_000),
        of("good", line("2", "40 gallon electric tank", 1000, "each", 79_900)),
        of("better", line("3", "50 gallon gas tank", 1000, "each", 118_900)),
        of(
            "best",
            about(line("4", "Tankless gas heater", 1000, "each", 246_000), "Endless hot water; new vent and gas line."),
        ),
        of("best", line("5", "New gas line, 1″", 24_000, "ft", 2_850)),
        add_on(line("6", "Drain pan with leak alarm", 1000, "each", 12_500)),
        of("best", add_on(line("7", "Water softener", 1000, "each", 98_000))),
    ];
    EstimatePdf {
        number: some("EST-1002-2"),
        paper: DocumentContent {
            lines,
            options: vec![
                choice("good", "Good", "Does the job."),
                choice("better", "Better", "What we put in our own houses."),
                choice("best", "Best", "Never wait for hot water again."),
            ],
            recommended: some("better"),
            notes: None,
            ..base.paper
        },
        ..base
    }
}

/// One line added and one removed, beside an estimate and an earlier change.
#[must_use]
pub fn change(language: Language) -> EstimatePdf {
    let before = match language {
        Language::En => "Agreed before",
        Language::Es => "Acordado antes",
    };
    let lines = vec![
        about(
            line("1", "Replace rotten subfloor", 24_000, "sq ft", 1_150),
            "Behind the shower, with new joist hangers.",
        ),
        line("2", "No haul away after all", 1000, "each", -15_000),
    ];
    EstimatePdf {
        language,
        number: some("CO-1002"),
        title: some("Rotten subfloor"),
        paper: DocumentContent { lines, discount: PercentOrAmount::None, notes: None, ..estimate().paper },
        deposit: PercentOrAmount::None,
        change: Some(ChangeOrderContext {
            job: 1007,
            before: vec![
                (format!("{before}: EST-1001"), Cents(148_054)),
                (format!("{before}: CO-1001"), Cents(-2_500)),
            ],
        }),
        ..estimate()
    }
}

#[must_use]
pub fn spanish() -> EstimatePdf {
    let base = options();
    EstimatePdf {
        language: Language::Es,
        recipient: PdfRecipient { name: "José Ñandú".into(), ..recipient() },
        title: some("Calentador de agua"),
        ..base
    }
}

/// Two hundred lines, the first with a description of 4 000 letters.
#[must_use]
pub fn long() -> EstimatePdf {
    let words = "Cut out the rotten studs, sister new ones, close the wall and paint it. ".repeat(56);
    let mut lines: Vec<LineItem> = (1..=200_i64)
        .map(|at| line(&at.to_string(), &format!("Item {at} of the renovation"), 1000 * (1 + at % 3), "each", 995 + at))
        .collect();
    lines[0].description = Some(words.chars().take(4000).collect());
    let base = estimate();
    EstimatePdf {
        number: some("EST-1003"),
        recipient: PdfRecipient { name: "Nguyễn Văn Ánh & Łukasz Żółć".into(), ..recipient() },
        paper: DocumentContent { lines, ..base.paper },
        ..base
    }
}

#[must_use]
pub fn strokes() -> Vec<Vec<[i32; 2]>> {
    let wave = (0..=60_i32).map(|step| {
        let angle = f64::from(step) / 4.0;
        let height = angle.sin() * (120.0 - f64::from(step));
        #[expect(clippy::cast_possible_truncation, reason = "at most 120")]
        let height = height as i32;
        [100 + step * 12, 200 - height]
    });
    vec![wave.collect(), vec![[860, 150]], vec![[120, 330], [500, 310], [840, 335]]]
}

#[must_use]
pub fn approval() -> ApprovalPage {
    ApprovalPage {
        name: "Ann Miller".into(),
        signature: Signature::Drawn(strokes()),
        at: at("2026-11-22T20:31:07Z"),
        zone: chrono_tz::America::Chicago,
        ip: some("2001:db8:85a3::8a2e:370:7334"),
        user_agent: some(
            "Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) \
             Version/19.1 Mobile/15E148 Safari/604.1",
        ),
        wording: "I agree to this estimate and its terms.".into(),
        selection: OptionSelection { option_id: some("best"), add_ons: ["6", "7"].map(str::to_owned).into() },
        sha256: std::array::from_fn(|at| u8::try_from(at * 7 % 256).expect("a byte")),
    }
}

#[must_use]
pub fn invoice() -> InvoicePdf {
    let of = estimate();
    let payment = |on: &str, means, reference: Option<&str>, amount| PaymentLine {
        on: day(on),
        means,
        reference: reference.map(str::to_owned),
        amount: Cents(amount),
    };
    InvoicePdf {
        language: Language::En,
        sender: of.sender,
        recipient: of.recipient,
        number: some("INV-1001"),
        issued_on: day("2026-12-01"),
        due_on: Some(day("2026-12-15")),
        title: of.title,
        site: None,
        about: some("EST-1001, job 1007"),
        paper: DocumentContent { terms: None, notes: None, ..of.paper },
        payments: vec![
            payment("2026-11-22", PaymentMeans::Card, Some("deposit"), 38_000),
            payment("2026-12-01", PaymentMeans::Check, Some("no. 1042"), 50_000),
        ],
        how_to_pay: some("Checks to Acme Plumbing, 1200 Barton Springs Rd, Austin, TX 78704."),
        link: some("https://toolbox.example/p/7iOa9tBv2NkmQpT4nA2b6Xr0wYc8uLe1sVd3fGh5jKz"),
        is_void: false,
    }
}

#[must_use]
pub fn receipt() -> ReceiptPdf {
    ReceiptPdf {
        language: Language::En,
        sender: sender(),
        recipient: recipient(),
        number: "RCP-1001".into(),
        received_on: day("2026-12-01"),
        amount: Cents(50_000),
        means: PaymentMeans::Check,
        reference: some("no. 1042"),
        note: None,
        is_refund: false,
        title: some("Water heater replacement"),
        invoices: vec![("INV-1001".into(), Cents(50_000))],
        owed: Some(Cents(65_217)),
        credit: Cents::ZERO,
    }
}
