//! French, as customers in Canada write it. Accents and apostrophes are gone: "ne m'écrivez plus" is "ne mecrivez plus".

use super::grammar::{OptOutRule, RULE};

pub(super) const RULES: [OptOutRule; 5] = [
    OptOutRule {
        name: "asks not to be written to",
        find: r"\b(?:ne |n )?(?:me |nous |m )?(?:n|m)?(?:contact|ecri|text|envoy|appel|ecriv|derang|harcel)\w* (?:plus|pas|jamais|rien)\b",
        before: r"(?:je|j|tu|il|elle|on|vous|pas recu|avez|ai) (?:n |ne )?",
        after: r" (?:encore|avant|apres|aujourd|demain|ce|cette|le |la |si |quand |pendant|(?:de |la |les |vos )*(?:factures?|devis|papiers?|techniciens?|camions?))",
        ..RULE
    },
    OptOutRule {
        name: "wants no more texts",
        find: r"\b(?:plus|pas|assez|aucun) (?:de |d )?(?:vos |ces )?(?:textos?|texts?|messages?|sms|courriels?|notifications|pub|publicites?|messages textes?)\b|\bje (?:ne )?veux (?:plus|pas) (?:recevoir|de (?:vos|ces|textos?|texts?|messages?|sms)|vos|ces|que vous me|etre contacte\w*)\b",
        before: r"(?:recu|vu|eu|ai|avez|envoye) ",
        ..RULE
    },
    OptOutRule {
        name: "asks to be taken off",
        find: r"\b(?:retir|enlev|supprim|effac|radi|desabonn|desinscri)\w* (?:moi|mon (?:numero|nom|contact)|mes (?:coordonnees|informations|infos|donnees)|nous|ce numero|le numero)\b|\b(?:me|nous) (?:retirer|enlever|supprimer|desabonner|desinscrire)\b|\b(?:desabonn|desinscri)\w*\b",
        ..RULE
    },
    OptOutRule {
        name: "asks to stop",
        find: r"\b(?:cess|arret|stopp)\w* (?:de |d )?(?:me |m |nous )?(?:m|d)?(?:envoy|ecri|text|contact|harcel|derang|appel|spam)\w*|\b(?:cess|arret|stopp)\w* (?:tout|tous|toutes|les|vos|ces|ca)(?: les| vos| ces)?(?: (?:textos?|texts?|messages?|sms|contacts?|envois|communications?))?(?: svp| merci| s il vous plait| immediatement)* $|\blaiss\w* (?:moi|nous) (?:tranquilles?|en paix)\b|\bmauvais numero\b|\bfoutez moi la paix\b",
        sentence: r"\b(?:fuite|eau|robinet|bruit|travaux)\b",
        ..RULE
    },
    OptOutRule {
        name: "is not interested",
        find: r"\bpas interess\w*\b(?: \w+| ,){0,3} (?:arret|cess|plus|stop)\w*",
        ..RULE
    },
];
