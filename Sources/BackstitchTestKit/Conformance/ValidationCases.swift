import Backstitch
import Foundation

extension StoreConformance {
    /// Rules of the model for values, between values, and for the number of related objects.
    ///
    /// A backend must
    /// - take a model with rules, which are not part of its schema;
    /// - receive no request when a rule is broken.
    ///
    /// A store fails when it records rules with its model: it then wants to migrate when a rule changes.
    static let validationCases = [
        ConformanceCase("rules for values and between them are all told at once, and nothing is written") { bench in
            let container = try bench.container(.ruled)
            try await container.perform { context in
                let place = Location(context: context)
                let entry = Entry(context: context)
                try place.add(entry, to: "entries")
                try entry.setValue(-3, forKey: "count")
                try entry.setValue("nobody", forKey: "email")
                try entry.setValue(.date(Date(milliseconds: 2_000)), forKey: "created")
                try entry.setValue(.date(Date(milliseconds: 1_000)), forKey: "left")
                let error = try expectError(.validation) { try context.save() }
                try expectEqual(error.faults.map(\.key), ["count", "email", nil])
                try expect(error.faults[0].message.contains("the integer -3"), error.faults[0].message)
                try expect(error.faults[1].message.contains("an e-mail address has an @"), error.faults[1].message)
                try entry.setValue(30, forKey: "count")
                try entry.setValue(.null, forKey: "email")
                try entry.setValue(.null, forKey: "left")
                try context.save()
                try entry.setValue(200, forKey: "count")
                try expectEqual(try expectError(.validation) { try context.save() }.key, "count")
            }
        },
        ConformanceCase("a relationship has as many objects as the model allows, from whichever end it is changed") {
            bench in
            let container = try bench.container(.ruled)
            try await container.perform { context in
                let place = Location(context: context)
                try expectEqual(try expectError(.validation) { try context.save() }.key, "entries")
                let entries = (0..<3).map { _ in Entry(context: context) }
                for entry in entries { try place.add(entry, to: "entries") }
                let error = try expectError(.validation) { try context.save() }
                try expect(error.message.contains("3 objects"), error.message)
                try entries[2].setObject(nil, forKey: "location")
                try context.save()
                for entry in entries { try entry.setObject(nil, forKey: "location") }
                try expectEqual(try expectError(.validation) { try context.save() }.objectID, place.objectID)
                context.rollback()
                context.delete(place)
                try context.save()
            }
        },
        ConformanceCase(
            "an object that is not in memory needs what a relationship must lead to as well", needs: .requiredValues
        ) { bench in
            let model = ManagedObjectModel([
                EntityDescription("Badge", [.toOne("person", "Person", inverse: "badge")]),
                EntityDescription("Person", [.toOne("badge", "Badge", inverse: "person", optional: false)]),
            ])
            let container = try bench.container(model)
            for deletes in [true, false] {
                let ids = try await container.perform { context in
                    let person = try context.insertObject(entityName: "Person")
                    let badge = try context.insertObject(entityName: "Badge")
                    try person.setObject(badge, forKey: "badge")
                    try context.save()
                    return [person.objectID, badge.objectID]
                }
                try await container.perform { context in
                    let badge = try context.existingObject(with: ids[1])
                    if deletes { context.delete(badge) } else { try badge.setObject(nil, forKey: "person") }
                    let error = try expectError(.validation) { try context.save() }
                    try expect(error.objectID == ids[0] && error.key == "badge", error.message)
                    context.delete(try context.existingObject(with: ids[0]))
                    try context.save()
                }
            }
        },
        ConformanceCase("an object that is validated by hand is judged as the save judges it") { bench in
            let container = try bench.container(.ruled)
            try await container.perform { context in
                func alike(_ judge: () throws -> Void) throws {
                    let byHand = try expectError(.validation) { try judge() }
                    let bySave = try expectError(.validation) { try context.save() }
                    try expectEqual(byHand.message, bySave.message)
                    try expectEqual(byHand.faults.map(\.key), bySave.faults.map(\.key))
                    try expectEqual(byHand.objectID, bySave.objectID)
                }
                let place = Location(context: context)
                try alike { try place.validateForInsert() }
                let entry = Entry(context: context)
                try place.add(entry, to: "entries")
                try place.validateForInsert()
                try entry.validateForInsert()
                try entry.setValue(-3, forKey: "count")
                try alike { try entry.validateForInsert() }
                try entry.setValue("nobody", forKey: "email")
                try alike { try entry.validateForInsert() }
                try entry.setValue(30, forKey: "count")
                try entry.setValue(.null, forKey: "email")
                try context.save()
                try entry.setValue(200, forKey: "count")
                try alike { try entry.validateForUpdate() }
                try entry.setValue(20, forKey: "count")
                try entry.validateForUpdate()
                try entry.setObject(nil, forKey: "location")
                try alike { try place.validateForUpdate() }
            }
        },
        ConformanceCase("an object that a deny rule keeps does not pass validation for its deletion") { bench in
            try await bench.container().perform { context in
                let place = Location(context: context), warden = Warden(context: context)
                warden.name = "Ada"
                warden.location = place
                try context.save()
                let byHand = try expectError(.deleteDenied) { try place.validateForDelete() }
                context.delete(place)
                let bySave = try expectError(.deleteDenied) { try context.save() }
                try expectEqual(byHand.message, bySave.message)
                context.delete(warden)
                try place.validateForDelete()
                try context.save()
            }
        },
        ConformanceCase("a save judges by the model whatever overrides do, and each rule once") { bench in
            let container = try bench.container(.judged)
            try await container.perform { context in
                let judged = Judged(context: context)
                for callsSuper in [true, false] {
                    judged.callsSuper = callsSuper
                    let error = try expectError(.validation) { try context.save() }
                    try expectEqual(error.faults.map(\.key), [], "one fault, told once")
                    try expectEqual(error.key, "n")
                }
                judged.callsSuper = true
                try expectEqual(try expectError(.validation) { try judged.validateForInsert() }.key, "n")
                judged.refusal = "no"
                let both = try expectError(.validation) { try judged.validateForInsert() }
                try expectEqual(both.faults.count, 2)
                try expectEqual(try expectError(.validation) { try context.save() }.message, both.message)
                judged.refusal = nil
                try judged.setValue(5, forKey: "n")
                try judged.validateForInsert()
                try context.save()
            }
        },
        ConformanceCase("a rule that is none is a fault of the model") { bench in
            let model = ManagedObjectModel([
                EntityDescription("A", [.attribute("n", .integer64).validated("n >")]).validated("other == 1")
            ])
            let error = try expectError(.invalidModel) { _ = try bench.container(model) }
            try expectEqual(error.faults.map(\.key), ["A.n", "A"])
        },
    ]
}
