//! First names of ordinary people, and names that give none.

use super::{email_greeting, first_name};

fn assert_first_names(table: &[(&str, &str)]) {
    for (typed, name) in table {
        assert_eq!(first_name(typed), *name, "{typed}");
    }
}

fn assert_no_first_name(names: &[&str]) {
    for typed in names {
        assert_eq!(first_name(typed), "", "{typed}");
    }
}

#[test]
fn email_greeting_has_first_name_only() {
    assert_eq!(email_greeting("Dana Doe"), "Hi Dana,");
    assert_eq!(email_greeting("Acme Plumbing LLC"), "Hi,");
    assert_eq!(email_greeting(""), "Hi,");
}

#[test]
fn first_name_of_letters_is_kept() {
    assert_first_names(&[
        ("Ann Lee", "Ann"),
        ("  José  Pérez", "José"),
        ("Jose\u{301} Perez", "José"),
        ("O'Brien", "O'Brien"),
        ("O’Brien", "O’Brien"),
        ("D'Angelo", "D'Angelo"),
        ("N'Golo Kanté", "N'Golo"),
        ("Anne-Marie Smith", "Anne-Marie"),
        ("Jean-Luc", "Jean-Luc"),
        ("Maria-del-Carmen", "Maria-del-Carmen"),
        ("李 小龙", "李"),
        ("Дмитрий", "Дмитрий"),
        ("Γιώργος", "Γιώργος"),
        ("שרה כהן", "שרה"),
        ("محمد علي", "محمد"),
        ("सिंह", "सिंह"),
        ("さくら", "さくら"),
        ("김 민수", "김"),
        ("Ann M. Lee", "Ann"),
        ("Ann (Annie) Lee Jr.", "Ann"),
        ("Ann Lee, Jr.", "Ann"),
        ("Bill Smith", "Bill"),
        ("Youssef Ali", "Youssef"),
        ("Young-ho Kim", "Young-ho"),
        ("Malcom Reed", "Malcom"),
        ("Akshit Rao", "Akshit"),
        ("Loan Tran", "Loan"),
        ("Maximilian", "Maximilian"),
        ("LaToya Jones", "LaToya"),
        ("McKenzie", "McKenzie"),
    ]);
}

#[test]
fn capitals_become_usual_and_symbols_around_name_are_dropped() {
    assert_first_names(&[
        ("ANN LEE", "Ann"),
        ("ann", "Ann"),
        ("MARY-JANE", "Mary-Jane"),
        ("mary-jane", "Mary-Jane"),
        ("MARIA-DEL-CARMEN", "Maria-del-Carmen"),
        ("O'BRIEN", "O'Brien"),
        ("McDONALD", "McDonald"),
        ("MCDONALD", "McDonald"),
        ("TJ Smith", "TJ"),
        ("дмитрий", "Дмитрий"),
        ("გიორგი", "გიორგი"),
        ("\"Annie\" Lee", "Annie"),
        ("“Annie” Lee", "Annie"),
        ("Ann🌸", "Ann"),
        ("Ann ❤\u{fe0f} Lee", "Ann"),
        ("🌸 Ann", "Ann"),
        ("Ann™", "Ann"),
        ("Ann!!!", "Ann"),
        ("ＡＮＮ", "Ann"),
    ]);
}

#[test]
fn first_name_follows_comma_title_or_introduction() {
    assert_first_names(&[
        ("Smith, John", "John"),
        ("Smith,Ann", "Ann"),
        ("Smith, Mr. John", "John"),
        ("van der Berg, Tom", "Tom"),
        ("De la Cruz, Maria", "Maria"),
        ("Mr. John Smith", "John"),
        ("Rev. Tom Lee", "Tom"),
        ("Señora Ana Ruiz", "Ana"),
        ("Fr. Tom", "Tom"),
        ("Pastor Tom", "Tom"),
        ("Doña Ana", "Ana"),
        ("Don", "Don"),
        ("Don Smith", "Don"),
        ("JoAnn Lee", "JoAnn"),
        ("MaryBeth Cole", "MaryBeth"),
        ("My name is Ann", "Ann"),
        ("I am Ann", "Ann"),
        ("I'm Ann Lee", "Ann"),
        ("I’m Ann", "Ann"),
        ("This is Ann", "Ann"),
        ("Soy Ann", "Ann"),
        ("Me llamo Ann", "Ann"),
    ]);
    assert_no_first_name(&[
        "Mrs. Smith",
        "Mr.",
        "Mr. and Mrs. Smith",
        "Mr. van der Berg",
        "Rev. Tom",
        "Prof. Lee",
        "Coach Lee",
        "Herr Müller",
        "Señor Ruiz",
        "Smith, J.",
        "Garcia Lopez, Maria",
        "I am from the police",
        "I am watching you",
        "This is your bank",
    ]);
}

#[test]
fn surname_initial_couple_or_business_gives_no_first_name() {
    assert_no_first_name(&[
        "St. John Rivers",
        "DE LA CRUZ",
        "J. R. Smith",
        "J Smith",
        "M. Dupont",
        "Ann/Bob Lee",
        "Ann & Bob Lee",
        "Ann and Bob Lee",
        "The Smith Family",
        "Smith Family",
        "Estate of Ann Lee",
        "Property Manager",
        "none",
        "Anonymous",
        "Unknown",
        "tenant",
        "Owner",
        "Test",
        "customer",
        "n/a",
        "Baker & Sons",
        "Baker Plumbing",
        "Baker LLC",
        "Joe's Diner",
        "Joe's Place",
        "The Home Store",
        "A1 Roofing",
        "3M Company",
    ]);
}

#[test]
fn sentence_in_one_word_gives_no_first_name() {
    assert_no_first_name(&[
        "Your-House-Is-On-Fire",
        "YouOweUsMoney",
        "Buy-Cheap-Pills-Now",
        "Call-Me-Now",
        "Call-five-one-two-five",
        "You'll-Pay",
        "Pay-Bill",
        "A-A-A-A-A-A-A",
        "A-A",
        "Iamfromthepolice",
        "Youarebeingwatched",
        "Fuckface",
        "Fu-ck-you",
        "SendCash",
        "Your warranty ran out, pay your bill today at evil.com 512-555-0100",
        "Supercalifragilisticexpialidocious",
    ]);
}

#[test]
fn address_or_number_gives_no_first_name() {
    assert_no_first_name(&[
        "Evil-dot-com",
        "evildotcom",
        "evilcom",
        "Evil-com",
        "bitly",
        "tinyurl",
        "https://evil.example/x",
        "evil.example",
        "evil\u{3002}example",
        "ann@evil.example",
        "512-555-0199",
        "Call5125550199",
        "５１２",
        "evil\u{2024}com",
        "a/b",
        "www.evil",
        "①②③",
        "evil\u{a4f8}com",
        "Visit evil\u{3002}com",
        "Ann evil\u{ff0e}com",
        "Ann evil\u{ff61}com",
        "Ann evil\u{a4f8}com",
        "Ann evil.com now",
        "Ann ｅｖｉｌ．ｃｏｍ",
        "Ann evil dot com",
        "Ann evil . com",
        "Ann e\u{200b}vil",
        "Ann https://evil",
        "Ann evil com/x",
        "Ann 5125550199",
        "Ann ５１２",
        "Ann five one two five",
        "Ann at evil dot example",
    ]);
}

#[test]
fn foreign_letters_marks_and_symbols_give_no_first_name() {
    assert_no_first_name(&[
        "",
        "$$$",
        "-",
        "'",
        "Ann--Lee",
        "An\u{200b}n",
        "\u{202e}moc",
        "evil\u{1427}com\u{30ce}pay",
        "Annд",
        "Ann\u{1c3}\u{1c3}\u{1c3}",
        "\u{1c3}\u{1c3}\u{1c3}",
        "Ann\u{335}\u{335}\u{335}",
        "Ann\u{335}",
        "Ann\u{302}\u{302}\u{302}",
        "An🌸n",
    ]);
}
