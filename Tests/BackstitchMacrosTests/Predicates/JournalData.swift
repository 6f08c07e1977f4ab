import Backstitch
import BackstitchMacros
import Foundation

/// Ten entries for all cases, with values and with missing ones.
enum JournalData {
    static func insert(into context: ManagedObjectContext) throws {
        let journals = ["Home", "Work"].map { name in
            let journal = Journal(context: context)
            (journal.name, journal.isShared) = (name, name == "Work")
            return journal
        }
        let labels = [("craft", 1, nil), ("shop", 2, "xy"), ("craft", 3, "z")].map { name, weight, hint in
            let label = Label(context: context)
            (label.name, label.weight, label.hint) = (name, weight, hint)
            return label
        }
        let titles = ["Thread", "Cloth", "Needle"], subtitles = ["blue", nil, "red", "", "blue lu"]
        for number in 0..<10 {
            let entry = Entry(context: context)
            entry.title = "\(titles[number % 3]) \(number)"
            entry.subtitle = number == 8 ? entry.title : subtitles[number % 5]
            entry.size = number == 9 ? -1 : number
            entry.rating = 8 - Double(number) / 2
            entry.isDone = number % 4 == 1 || number == 8
            entry.priority = Priority.allCases[number % 3]
            entry.price = number % 2 == 0 ? Decimal(number) / 8 : nil
            entry.created =
                number % 3 == 0 ? nil : Date(timeInterval: Double(number - 5) * 60, since: PredicateCase.day)
            entry.default = number == 3 ? "d" : nil
            entry.journal = number % 5 == 4 ? nil : journals[number < 4 ? 0 : 1]
            entry.labels = Set(labels.enumerated().filter { number >> $0.offset & 1 == 1 }.map(\.element))
        }
    }

    /// The journal's model, with entries that need no journal.
    static var model: ManagedObjectModel {
        var model = ManagedObjectModel.journal
        model.entities[0].properties = model.entities[0].properties.map {
            guard case .relationship(var relationship) = $0 else { return $0 }
            relationship.isOptional = true
            return .relationship(relationship)
        }
        return model
    }
}
