import Backstitch
import Foundation

extension StoreConformance {
    static let validationCases = [
        ConformanceCase("rules for values and between them are all told at once, and nothing is written") { bench in
            let container = try bench.container(.rules)
            try await container.perform { context in
                let team = try context.insertObject(entityName: "Team")
                let player = try context.insertObject(entityName: "Player")
                try team.add(player, to: "players")
                try player.setValue(-3, forKey: "age")
                try player.setValue("nobody", forKey: "email")
                try player.setValue(.date(Date(milliseconds: 2_000)), forKey: "joined")
                try player.setValue(.date(Date(milliseconds: 1_000)), forKey: "left")
                let error = try expectError(.validation) { try context.save() }
                try expectEqual(error.faults.map(\.key), ["age", "email", nil])
                try expect(error.faults[0].message.contains("the integer -3"), error.faults[0].message)
                try expect(error.faults[1].message.contains("an e-mail address has an @"), error.faults[1].message)
                try player.setValue(30, forKey: "age")
                try player.setValue(.null, forKey: "email")
                try player.setValue(.null, forKey: "left")
                try context.save()
                try player.setValue(200, forKey: "age")
                try expectEqual(try expectError(.validation) { try context.save() }.key, "age")
            }
        },
        ConformanceCase("a relationship has as many objects as the model allows, from whichever end it is changed") {
            bench in
            let container = try bench.container(.rules)
            try await container.perform { context in
                let team = try context.insertObject(entityName: "Team")
                try expectEqual(try expectError(.validation) { try context.save() }.key, "players")
                let players = try (0..<3).map { _ in try context.insertObject(entityName: "Player") }
                for player in players { try team.add(player, to: "players") }
                let error = try expectError(.validation) { try context.save() }
                try expect(error.message.contains("3 objects"), error.message)
                try players[2].setObject(nil, forKey: "team")
                try context.save()
                for player in players { try player.setObject(nil, forKey: "team") }
                try expectEqual(try expectError(.validation) { try context.save() }.objectID, team.objectID)
                context.rollback()
                context.delete(team)
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

extension ManagedObjectModel {
    /// A team of one or two, with rules for its players.
    fileprivate static let rules = ManagedObjectModel([
        EntityDescription("Team", [.toMany("players", "Player", inverse: "team").counting(1...2)]),
        EntityDescription(
            "Player",
            [
                .attribute("age", .integer16).validated("age BETWEEN {0, 150}"),
                .attribute("email", .string).validated("email MATCHES '.+@.+'", message: "an e-mail address has an @"),
                .attribute("joined", .date), .attribute("left", .date), .toOne("team", "Team", inverse: "players"),
            ]
        ).validated("left == nil OR left >= joined"),
    ])
}
