import Backstitch
import Foundation

/// Properties that entries, places and tags have in ``ManagedObjectModel/unique`` and ``ManagedObjectModel/derived``.
extension Entry {
    /// A value unique among all entries.
    var slug: String? {
        get { self["slug"] }
        set { self["slug"] = newValue }
    }
    /// A value unique among the entries of a place, in the model with unique headings.
    var heading: String? {
        get { self["heading"] }
        set { self["heading"] = newValue }
    }
    /// A value without dependants, which a merge takes or leaves.
    var mood: String? {
        get { self["mood"] }
        set { self["mood"] = newValue }
    }
    /// A small integer. Its sums are 64-bit integers.
    var pages: Int {
        get { self["pages"] }
        set { self["pages"] = newValue }
    }
    /// A value for exact sums. Sums ignore nil.
    var price: Decimal? {
        get { self["price"] }
        set { self["price"] = newValue }
    }
    /// A value summed as a double.
    var weight: Double {
        get { self["weight"] }
        set { self["weight"] = newValue }
    }
    /// A copy of the place's name, through a to-one.
    var placeName: String? { self["placeName"] }
    /// The heading without case and diacritics.
    var search: String? { self["search"] }
    /// The place's name in capitals.
    var capitals: String? { self["capitals"] }
    /// The heading in small letters.
    var small: String? { self["small"] }
    /// A count over a many-to-many, from its owner.
    var tagCount: Int { self["tagCount"] }
    /// The time of the entry's last write, by the database's clock.
    var changed: Date? { self["changed"] }
}

extension Location {
    /// A count over a one-to-many.
    var entryCount: Int { self["entryCount"] }
    /// The sum of its entries' pages.
    var pages: Int { self["pages"] }
    /// The sum of its entries' prices, in decimals.
    var worth: Decimal { self["worth"] }
    /// The sum of its entries' weights, in doubles.
    var weight: Double { self["weight"] }
}

extension Tag {
    /// A sum over a many-to-many, from the side that does not own it.
    var pages: Int { self["pages"] }
}

extension ManagedObjectModel {
    /// The journal with unique constraints of one attribute, and of an attribute and a to-one.
    static let unique = journal.adding(
        [.attribute("slug", .string), .attribute("heading", .string), .attribute("mood", .string)], to: "Entry",
        unique: [["slug"], ["location", "heading"]]
    ).adding([], to: "Location", unique: [["name"]])

    /// The journal with source attributes for derived ones.
    static let measured = journal.adding(
        [
            .attribute("heading", .string), .attribute("pages", .integer16, default: 0), .attribute("price", .decimal),
            .attribute("weight", .double, default: .double(0)),
        ], to: "Entry")

    /// The measured journal with every kind of derivation: from the object itself, along a to-one, and over to-many
    /// relationships of both storages.
    static let derived = measured.adding(
        [
            .derived("placeName", .string, from: "location.name"),
            .derived("search", .string, from: "canonical:(heading)"),
            .derived("capitals", .string, from: "uppercase:(location.name)"),
            .derived("small", .string, from: "lowercase:(heading)"),
            .derived("tagCount", .integer32, from: "tags.@count"), .derived("changed", .date, from: "now()"),
        ], to: "Entry"
    ).adding(
        [
            .derived("entryCount", .integer64, from: "entries.@count"),
            .derived("pages", .integer64, from: "entries.@sum.pages"),
            .derived("worth", .decimal, from: "entries.price.@sum"),
            .derived("weight", .double, from: "entries.@sum.weight"),
        ], to: "Location"
    ).adding([.derived("pages", .integer64, from: "entries.@sum.pages")], to: "Tag")

    /// The journal with a to-one from the objects of every type to a place. Indexes combine it with attributes.
    static let unindexed = journal.adding([.toOne("location", "Location", inverse: "samples")], to: "AllTypes")
        .adding([.toMany("samples", "AllTypes", inverse: "location")], to: "Location")

    /// The same model with indexes of each kind: folded, descending, of several properties, of a relationship.
    static let indexed = unindexed.changing("AllTypes") { sample in
        sample = sample.indexed("string").indexed(.ascending("string", options: .caseInsensitive))
            .indexed(.ascending("string", options: [.caseInsensitive, .diacriticInsensitive]), "integer32")
            .indexed(.descending("integer32"), "decimal").indexed("decimal").indexed(.descending("double"))
            .indexed("boolean", "date").indexed("uuid").indexed("location", .descending("date"))
    }

    /// The journal with rules: a place has one or two entries, and entries have rules for their values.
    static let ruled = journal.adding(
        [
            .attribute("email", .string).validated("email MATCHES '.+@.+'", message: "an e-mail address has an @"),
            .attribute("left", .date),
        ], to: "Entry"
    ).changing("Entry") { entry in
        entry = entry.validated("left == nil OR left >= created")
        entry.properties = entry.properties.map { property in
            property.name == "count" ? property.validated("count BETWEEN {0, 150}") : property
        }
    }.changing("Location") { location in
        location.properties = location.properties.map { $0.name == "entries" ? $0.counting(1...2) : $0 }
    }
}
