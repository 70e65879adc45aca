//! Restores of a backup from before an erasure: exactly those are erased again who were, with any merges
//! of that time and wherever the backup lies.

use std::path::PathBuf;

use super::*;

const CUSTOMERS: &str = "/api/customers";
const TOM: &str = "Tom Staying";
const LIST: &str = "erasures.list";
/// What a person can be recognized by.
const OF_ANN: [&str; 3] = ["Ann Lee", "ann@customer", "5125550142"];
const OF_TOM: [&str; 3] = [TOM, "tom@home", "5125550177"];

struct MergedPair {
    shop: Shop,
    ann: CustomerId,
    tom: CustomerId,
    home: tempfile::TempDir,
    /// From while the two were merged.
    made: CompletedBackup,
}

impl MergedPair {
    /// Two people, merged by mistake at the time of a backup, and parted since. Tom was merged into Ann.
    async fn parted_since_backup(app: &mut TestApp) -> Self {
        let (shop, ann, owner) = shop_with_ann(app).await;
        app.advance(Duration::minutes(1));
        let tom = Visitor::ann().named(TOM).phone("(512) 555-0177").email(Some("tom@home.example"));
        let lead = tom.submits_lead(app, &shop).await;
        let tom = app.lead(shop.id(), lead).await.customer_id;
        app.run_tasks().await;
        let merged = owner.post(&format!("{CUSTOMERS}/{ann}/merge"), &json!({ "otherId": tom })).await;
        assert_eq!(merged.status, 200, "{}", merged.json());
        let home = tempfile::tempdir().unwrap();
        let made = backs_up(app, home.path()).await;
        app.advance(Duration::minutes(1));
        let merge = merged.json()["mergedFrom"][0]["mergeId"].as_str().unwrap().to_owned();
        let path = format!("{CUSTOMERS}/merges/{merge}/undo");
        let parted = owner.send(Method::POST, &path, "", Vec::new()).await;
        assert_eq!(parted.status, 200, "{}", parted.json());
        Self { shop, ann, tom, home, made }
    }

    async fn erases(&self, app: &mut TestApp, customer: CustomerId, name: &str) {
        let org = self.shop.id();
        app.within(async |tx| erasure::request::request_erasure(tx, &app.origin, org, customer, name, None).await)
            .await
            .unwrap();
        erase(app).await;
    }

    fn lists(&self, app: &TestApp) -> [PathBuf; 2] {
        [app.settings.data_dir.join(LIST), self.home.path().join("backups").join(LIST)]
    }

    /// Moved where no list lies beside it.
    fn carried_away(&self, made: &CompletedBackup) -> PathBuf {
        let away = self.home.path().join("away");
        std::fs::create_dir_all(&away).unwrap();
        let to = away.join(&made.name);
        std::fs::rename(&made.folder, &to).unwrap();
        to
    }
}

/// Lines about people that hold one of these.
fn lines_about(text: &str, words: [&str; 3]) -> Vec<String> {
    let tables = ["customer", "contact", "lead", "message", "conversation", "work_event"];
    let is_about = |line: &&str| {
        tables.iter().any(|table| line.starts_with(table)) && words.iter().any(|word| line.contains(word))
    };
    text.lines().filter(is_about).map(|line| line.chars().take(300).collect()).collect()
}

fn is_known(text: &str, words: [&str; 3]) -> bool {
    let lines = lines_about(text, words);
    ["customer{", "customer_key{", "lead{"].iter().all(|table| lines.iter().any(|line| line.starts_with(table)))
}

both_databases! {
    async fn erased_person_whom_the_backup_holds_merged_is_erased_without_the_other(app) {
        let pair = MergedPair::parted_since_backup(app).await;
        let apart = backs_up(app, pair.home.path()).await;
        pair.erases(app, pair.ann, NAME).await;
        let [list, _] = pair.lists(app).map(|list| std::fs::read_to_string(list).unwrap());
        for made in [&pair.made, &apart] {
            let (text, report) = restored_elsewhere(app, &pair.shop, &made.folder, pair.home.path()).await.unwrap();
            let left = lines_about(&text, OF_ANN);
            assert!(left.is_empty(), "{left:#?}");
            assert!(is_known(&text, OF_TOM), "he never asked: {:#?}", lines_about(&text, OF_TOM));
            let is_merged = made.name == pair.made.name;
            let parted = if is_merged { vec![[pair.ann, pair.tom]] } else { Vec::new() };
            assert_eq!((report.erasures.erased, report.erasures.parted), (1, parted));
            for copied in [pair.home.path().join("new").join(LIST), pair.home.path().join("backups").join(LIST)] {
                assert_eq!(std::fs::read_to_string(copied).unwrap(), list, "the line stays as it was");
            }
        }
        app.run_tasks().await;
    }

    async fn erased_person_whom_the_backup_holds_merged_into_another_does_not_come_back(app) {
        let pair = MergedPair::parted_since_backup(app).await;
        // Longer ago than a merge can be undone.
        app.advance(Duration::days(40));
        pair.erases(app, pair.tom, TOM).await;
        let (text, report) = restored_elsewhere(app, &pair.shop, &pair.made.folder, pair.home.path()).await.unwrap();
        let left = lines_about(&text, OF_TOM);
        assert!(left.is_empty(), "{left:#?}");
        assert!(is_known(&text, OF_ANN), "{:#?}", lines_about(&text, OF_ANN));
        assert_eq!(report.erasures.parted, [[pair.ann, pair.tom]]);
        app.run_tasks().await;
    }

    async fn line_of_an_older_version_erases_all_whom_the_backup_holds_merged(app) {
        let pair = MergedPair::parted_since_backup(app).await;
        pair.erases(app, pair.ann, NAME).await;
        for list in pair.lists(app) {
            let line = std::fs::read_to_string(&list).unwrap();
            let words: Vec<&str> = line.trim_end().split(' ').take(4).collect();
            std::fs::write(&list, words.join(" ") + "\n").unwrap();
        }
        let (text, report) = restored_elsewhere(app, &pair.shop, &pair.made.folder, pair.home.path()).await.unwrap();
        assert!(lines_about(&text, OF_ANN).is_empty() && lines_about(&text, OF_TOM).is_empty());
        assert_eq!(report.erasures.parted, [[pair.ann, pair.tom]; 0], "who was merged then is not known");
        app.run_tasks().await;
    }

    async fn restore_is_refused_where_the_backup_does_not_say_whose_data_is_whose(app) {
        let pair = MergedPair::parted_since_backup(app).await;
        let merged = "UPDATE customer SET merged_into = $3 WHERE org_id = $1 AND id = $2";
        let (org, ann, tom) = (pair.shop.id(), pair.ann, pair.tom);
        app.within(async |tx| Ok(q!(tx, execute, merged, org, tom, Some(ann))?)).await.unwrap();
        let made = backs_up(app, pair.home.path()).await;
        app.within(async |tx| Ok(q!(tx, execute, merged, org, tom, None::<CustomerId>)?)).await.unwrap();
        pair.erases(app, ann, NAME).await;
        let refused = restored_elsewhere(app, &pair.shop, &made.folder, pair.home.path()).await.unwrap_err().to_string();
        assert!(refused.contains(&ann.to_string()) && refused.contains(&tom.to_string()), "{refused}");
        assert!(refused.contains("Restore a backup from before"), "{refused}");
        assert!(!pair.home.path().join("new/toolbox.db").exists(), "nothing was put in place");
        app.run_tasks().await;
    }

    async fn backup_restored_from_elsewhere_finds_the_list_in_the_folder_of_backups(app) {
        let pair = MergedPair::parted_since_backup(app).await;
        pair.erases(app, pair.ann, NAME).await;
        let away = pair.carried_away(&pair.made);
        let (text, report) = restored_elsewhere(app, &pair.shop, &away, pair.home.path()).await.unwrap();
        assert!(lines_about(&text, OF_ANN).is_empty() && is_known(&text, OF_TOM));
        assert!(report.erasures.without_list.is_empty(), "{:?}", report.erasures.without_list);
        app.run_tasks().await;
    }

    async fn restore_without_a_list_says_where_it_looked_and_takes_the_copy_of_a_newer_backup(app) {
        let pair = MergedPair::parted_since_backup(app).await;
        pair.erases(app, pair.ann, NAME).await;
        let newer = backs_up(app, pair.home.path()).await;
        let away = pair.carried_away(&pair.made);
        let list = pair.home.path().join("backups").join(LIST);
        std::fs::remove_file(&list).unwrap();
        let (text, report) = restored_elsewhere(app, &pair.shop, &away, pair.home.path()).await.unwrap();
        let searched = ["new", "backups", "away"].map(|folder| pair.home.path().join(folder));
        assert_eq!(report.erasures.without_list, searched);
        assert!(lines_about(&text, OF_ANN).is_empty(), "the copy in the newer backup names her");
        // Without that one nothing does.
        pair.carried_away(&newer);
        std::fs::remove_dir_all(pair.home.path().join("away").join(&newer.name)).unwrap();
        for folder in ["new", "backups"] {
            std::fs::remove_file(pair.home.path().join(folder).join(LIST)).unwrap();
        }
        let (text, report) = restored_elsewhere(app, &pair.shop, &away, pair.home.path()).await.unwrap();
        assert_eq!((report.erasures.without_list.len(), report.erasures.erased), (3, 0));
        assert!(is_known(&text, OF_ANN), "which the report of the restore warns of");
        app.run_tasks().await;
    }
}
