import Backstitch
import BackstitchMacros
import Foundation
import Testing

/// A `#Predicate`, and the same question in the format language.
struct PredicateCase: Sendable, CustomTestStringConvertible {
    let predicate: Predicate<Entry>
    let format: String
    let arguments: [any PredicateArgument & Sendable]
    /// False if Swift itself traps: on `!` of nil, and on a range whose end is before its start.
    let agreesWithSwift: Bool

    var testDescription: String { format }
}

extension [PredicateCase] {
    fileprivate mutating func add(
        _ format: String, _ arguments: any PredicateArgument & Sendable..., agreesWithSwift: Bool = true,
        is predicate: Predicate<Entry>
    ) {
        append(
            PredicateCase(predicate: predicate, format: format, arguments: arguments, agreesWithSwift: agreesWithSwift))
    }
}

extension PredicateCase {
    static let day = Date(timeIntervalSince1970: 1_700_000_000)
    static let link = URL(filePath: "/tmp/7")
    static let high = Priority.high
    static let wanted = ["Thread 3", "Cloth 1", "Needle 2"]
    static let urgent: [Priority] = [.medium, .high]
    static let sizes = 2...5
    static let none: String? = nil

    static var values: [PredicateCase] {
        let (day, high, wanted, urgent, sizes, none, half) = (
            day, high, wanted, urgent, sizes, none, Decimal(string: "0.5") ?? 0
        )
        var cases: [PredicateCase] = []
        cases.add("title == 'Thread 3'", is: #Predicate { $0.title == "Thread 3" })
        cases.add("title != 'Thread 3'", is: #Predicate { "Thread 3" != $0.title })
        cases.add("subtitle == nil", is: #Predicate { $0.subtitle == nil })
        cases.add("subtitle == nil", is: #Predicate { $0.subtitle == none })
        cases.add("subtitle != 'blue'", is: #Predicate { $0.subtitle != "blue" })
        cases.add("size > 3 AND size <= 7", is: #Predicate { $0.size > 3 && 7 >= $0.size })
        cases.add("size < 3 OR rating >= 6.5", is: #Predicate { $0.size < 3 || $0.rating >= 6.5 })
        cases.add("NOT size < 3", is: #Predicate { !($0.size < 3) })
        cases.add("size == -1", is: #Predicate { $0.size == -1 })
        cases.add("size > %d", 6 * 2 - 5, is: #Predicate { $0.size > sizes.upperBound * 2 - 3 })
        cases.add("isDone == YES", is: #Predicate { $0.isDone })
        cases.add("isDone == NO", is: #Predicate { $0.isDone == false })
        cases.add("isDone == YES AND size < 5", is: #Predicate { ($0.size < 5) == true && $0.isDone })
        cases.add(
            "(size < 5 AND isDone == YES) OR (size >= 5 AND isDone == NO)",
            is: #Predicate { ($0.size < 5) == $0.isDone })
        cases.add("created > %@", day, agreesWithSwift: false, is: #Predicate { $0.created! > day })
        cases.add("created == %@", day, is: #Predicate { $0.created == day })
        cases.add("price > %@", half, agreesWithSwift: false, is: #Predicate { $0.price! > half })
        cases.add("priority == 2", is: #Predicate { $0.priority == high })
        cases.add("priority IN {1, 2}", is: #Predicate { urgent.contains($0.priority) })
        cases.add("title IN %@", wanted, is: #Predicate { wanted.contains($0.title) })
        cases.add("title IN %@", wanted, is: #Predicate { entry in wanted.contains { $0 == entry.title } })
        cases.add("NOT title IN %@", wanted, is: #Predicate { entry in wanted.allSatisfy { $0 != entry.title } })
        cases.add("size BETWEEN {2, 5}", is: #Predicate { (2...5).contains($0.size) })
        cases.add("size BETWEEN {2, 5}", is: #Predicate { sizes.contains($0.size) })
        cases.add("size >= 2 AND size < 5", is: #Predicate { (2..<5).contains($0.size) })
        cases.add(
            "size <= 4 AND rating > 4", agreesWithSwift: false,
            is: #Predicate { ($0.size...4).contains(4) && $0.rating > 4 })
        cases.add("title == subtitle", agreesWithSwift: false, is: #Predicate { $0.title == $0.subtitle! })
        cases.add("default != nil", is: #Predicate { $0.default != nil })
        return cases
    }
}

extension PredicateCase {
    static var texts: [PredicateCase] {
        let word = "hread"
        var cases: [PredicateCase] = []
        cases.add("title CONTAINS %@", word, is: #Predicate { $0.title.contains(word) })
        cases.add("NOT title BEGINSWITH 'Thr'", is: #Predicate { !$0.title.starts(with: "Thr") })
        cases.add("subtitle == ''", is: #Predicate { $0.subtitle?.isEmpty == true })
        cases.add("title != 'Cloth 1'", is: #Predicate { !$0.title.isEmpty && $0.title != "Cloth 1" })
        cases.add("subtitle CONTAINS 'lu'", is: #Predicate { $0.subtitle?.contains("lu") == true })
        cases.add("subtitle CONTAINS 'lu'", is: #Predicate { $0.subtitle?.contains("lu") ?? false })
        cases.add("subtitle == nil OR subtitle CONTAINS 'lu'", is: #Predicate { $0.subtitle?.contains("lu") ?? true })
        cases.add(
            "subtitle != nil AND NOT subtitle CONTAINS 'lu'", is: #Predicate { $0.subtitle?.contains("lu") == false })
        cases.add("subtitle == nil", is: #Predicate { $0.subtitle?.contains("lu") == nil })
        cases.add("subtitle == nil OR subtitle == 'blue'", is: #Predicate { ($0.subtitle ?? "blue") == "blue" })
        cases.add("subtitle < 'c'", is: #Predicate { ($0.subtitle ?? "z") < "c" })
        cases.add("subtitle == nil OR subtitle == title", is: #Predicate { ($0.subtitle ?? $0.title) == $0.title })
        cases.add(
            "size > 5 OR (size <= 5 AND subtitle == 'blue')",
            is: #Predicate { $0.size > 5 ? true : $0.subtitle == "blue" })
        cases.add("title MATCHES '[A-Z][a-z]+ [0-3]'", is: #Predicate { $0.title.contains(#/[A-Z][a-z]+ [0-3]/#) })
        cases.add("title BEGINSWITH 'Th'", is: #Predicate { $0.title.contains(#/^Th/#) })
        cases.add("title ENDSWITH '3'", is: #Predicate { $0.title.contains(#/3$/#) })
        cases.add("title == 'Thread 3'", is: #Predicate { $0.title.contains(#/^Thread 3$/#) })
        cases.add(
            "title BEGINSWITH 'Cl' OR title ENDSWITH '3' OR title CONTAINS 'dl'",
            is: #Predicate { $0.title.contains(#/^Cl|(3$|dl)/#) })
        cases.add("title CONTAINS 'e'", is: #Predicate { $0.title.contains(#/[$|^e]/#) })
        return cases
    }

    static var links: [PredicateCase] {
        let limit = 2
        var cases: [PredicateCase] = []
        cases.add("journal == nil", is: #Predicate { $0.journal == nil })
        cases.add("journal.name == 'Home'", is: #Predicate { $0.journal?.name == "Home" })
        cases.add("journal.name != 'Home'", is: #Predicate { $0.journal?.name != "Home" })
        cases.add("journal.isShared == YES", is: #Predicate { $0.journal?.isShared ?? false })
        cases.add("journal.name == 'Home'", agreesWithSwift: false, is: #Predicate { $0.journal!.name == "Home" })
        cases.add(
            "journal.name BEGINSWITH 'W'", is: #Predicate { $0.journal.flatMap { $0.name.starts(with: "W") } ?? false })
        cases.add("journal.entries.@count > 3", is: #Predicate { ($0.journal?.entries.count ?? 0) > 3 })
        cases.add(
            "journal != nil AND journal.entries.@count < 5", is: #Predicate { ($0.journal?.entries.count ?? 9) < 5 })
        cases.add("labels.@count == %d", limit, is: #Predicate { $0.labels.count == limit })
        cases.add("labels.@count == 0", is: #Predicate { $0.labels.isEmpty })
        cases.add("ANY labels.name == 'craft'", is: #Predicate { $0.labels.contains { $0.name == "craft" } })
        cases.add("ANY labels.name != 'craft'", is: #Predicate { $0.labels.contains { $0.name != "craft" } })
        cases.add("ANY labels.hint == nil", is: #Predicate { $0.labels.contains { $0.hint == nil } })
        cases.add(
            "ANY labels.hint CONTAINS 'x'", is: #Predicate { $0.labels.contains { $0.hint?.contains("x") == true } })
        cases.add("ALL labels.weight > 1", is: #Predicate { $0.labels.allSatisfy { $0.weight > 1 } })
        cases.add(
            "SUBQUERY(labels, $l, $l.name == 'craft' AND $l.weight > 1).@count > 0",
            is: #Predicate { $0.labels.contains { $0.name == "craft" && $0.weight > 1 } })
        cases.add(
            "SUBQUERY(labels, $l, $l.name == 'shop' OR $l.weight > 2).@count == labels.@count",
            is: #Predicate { $0.labels.allSatisfy { $0.name == "shop" || $0.weight > 2 } })
        cases.add(
            "SUBQUERY(labels, $l, $l.weight > 1).@count == 1",
            is: #Predicate { $0.labels.filter { $0.weight > 1 }.count == 1 })
        cases.add(
            "SUBQUERY(labels, $l, $l.weight > 1).@count == 0",
            is: #Predicate { $0.labels.filter { $0.weight > 1 }.isEmpty })
        cases.add(
            "SUBQUERY(labels, $l, $l.weight > 1 AND $l.name == 'shop').@count > 0",
            is: #Predicate { $0.labels.filter { $0.weight > 1 }.contains { $0.name == "shop" } })
        cases.add(
            "SUBQUERY(labels, $l, $l.weight > 1 AND $l.name != 'shop').@count == 0",
            is: #Predicate { $0.labels.filter { $0.weight > 1 }.allSatisfy { $0.name == "shop" } })
        cases.add(
            "SUBQUERY(labels, $l, $l.weight < size).@count > 0",
            is: #Predicate { entry in entry.labels.contains { $0.weight < entry.size } })
        cases.add(
            "SUBQUERY(labels, $l, SUBQUERY($l.entries, $e, $e.size > 4 AND $e.isDone == YES).@count > 0).@count > 0",
            is: #Predicate { $0.labels.contains { $0.entries.contains { $0.size > 4 && $0.isDone } } })
        return cases
    }
}
