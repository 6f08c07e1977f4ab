import Backstitch
import BackstitchSync

/// Edits by two offline devices to the same objects, and the expected outcome.
///
/// A comes back first, so the server already has A's edits when B comes.
struct ConflictScenario {
    /// The result of one conflict, for the report.
    struct Outcome: Sendable {
        let what: String
        let object: String
        let winner: String
        let isAsExpected: Bool
    }

    let stage: Stage
    let policy: String
    private let ids: [ObjectID]
    private let names: [String]
    /// Two targets for the last object: A links it to the first, B to the second.
    private let destinations: [ObjectID]

    /// Chooses five objects: the group of five with the number `round`, in the order of names.
    init(_ stage: Stage, policy: String, round: Int, on device: Device) async throws {
        self.stage = stage
        self.policy = policy
        let request = FetchRequest<ManagedObject>(
            entityName: stage.entity, sortedBy: [.ascending(stage.name)], limit: 5, offset: round * 5)
        let found = try await device.container.perform { context in
            try context.fetch(request).map { ($0.objectID, try $0.value(forKey: stage.name).text) }
        }
        guard found.count == 5 else {
            throw BackstitchError(
                .invalidValue, "the conflicts need \(round * 5 + 5) objects of \(stage.entity)", key: "input")
        }
        let ids = found.map(\.0)
        self.ids = ids
        names = found.map(\.1)
        destinations = try await device.container.perform {
            try $0.existingObject(with: ids[4]).otherDestinations(stage)
        }
    }

    /// Makes A's edits, offline.
    func editOnA(_ device: Device) async throws {
        let (stage, ids, destinations) = (stage, ids, destinations)
        try await device.container.perform(author: "A") { context in
            let objects = try ids.map { try context.existingObject(with: $0) }
            try objects[0].mark(stage.contested, by: "A")
            try objects[1].mark(stage.contested, by: "A")
            context.delete(objects[2])
            try objects[3].mark(stage.contested, by: "A")
            try objects[4].relink(stage, to: destinations.first)
            try context.save()
        }
    }

    /// Makes B's edits, offline.
    func editOnB(_ device: Device) async throws {
        let (stage, ids, destinations) = (stage, ids, destinations)
        try await device.container.perform(author: "B") { context in
            let objects = try ids.map { try context.existingObject(with: $0) }
            try objects[0].mark(stage.contested, by: "B")
            try objects[1].mark(stage.other, by: "B")
            try objects[2].mark(stage.contested, by: "B")
            context.delete(objects[3])
            try objects[4].relink(stage, to: destinations.last)
            try context.save()
        }
    }

    /// Returns the results of the conflicts on a device.
    func outcomes(on device: Device) async throws -> [Outcome] {
        let (stage, ids) = (stage, ids)
        let ends = try await device.container.perform { context in
            try ids.map { id -> End? in
                guard let object = try? context.existingObject(with: id) else { return nil }
                return End(
                    contested: try object.value(forKey: stage.contested).author ?? "nobody",
                    other: try object.value(forKey: stage.other).author ?? "nobody",
                    destination: try stage.relationship.map { try object.value(forKey: $0) })
            }
        }
        let winner = policy == "clientWins" ? "B" : "A"
        var outcomes = [
            outcome(0, "same field", ends[0]?.contested ?? "nobody", winner),
            outcome(1, "different fields", ends[1].map { $0.contested + $0.other } ?? "nobody", "AB"),
            outcome(2, "A deletes, B edits", ends[2]?.contested ?? "A", winner),
            outcome(3, "A edits, B deletes", ends[3]?.contested ?? "B", winner),
        ]
        if stage.relationship != nil {
            outcomes.append(outcome(4, "relinked to different ones", linker(ends[4]?.destination), winner))
        }
        return outcomes
    }

    /// Returns the device that linked the last object to its present destination.
    private func linker(_ destination: Value?) -> String {
        guard case .object(let id)? = destination else { return "nobody" }
        return id == destinations.first ? "A" : id == destinations.last ? "B" : "nobody"
    }

    private func outcome(_ index: Int, _ what: String, _ winner: String, _ expected: String) -> Outcome {
        Outcome(
            what: what, object: names[index], winner: winner == "AB" ? "both" : winner, isAsExpected: winner == expected
        )
    }

    private struct End: Sendable {
        let contested: String
        let other: String
        let destination: Value?
    }
}

extension ManagedObject {
    /// Writes a device's mark into an attribute: the text `edited by A`, the number 1 for A and 2 for B, or true for A
    /// and false for B.
    fileprivate func mark(_ key: String, by device: String) throws {
        let number = device == "A" ? 1 : 2
        switch entity.property(named: key)?.attribute?.type {
        case .integer16?, .integer32?, .integer64?: try setValue(.int(Int64(number)), forKey: key)
        case .double?, .float?, .decimal?: try setValue(.double(Double(number)), forKey: key)
        case .boolean?: try setValue(.bool(device == "A"), forKey: key)
        default: try setValue(.string("edited by \(device)"), forKey: key)
        }
    }

    /// Links the object to another one by the stage's relationship. Without either it does nothing.
    fileprivate func relink(_ stage: Stage, to id: ObjectID?) throws {
        guard let key = stage.relationship, let id else { return }
        try setObject(managedObjectContext?.existingObject(with: id), forKey: key)
    }

    /// Returns up to two possible targets of the stage's relationship, without its present target.
    fileprivate func otherDestinations(_ stage: Stage) throws -> [ObjectID] {
        guard let key = stage.relationship, let context = managedObjectContext,
            let relationship = entity.property(named: key)?.relationship
        else { return [] }
        let present = try object(forKey: key)?.objectID
        let candidates = try context.fetchObjectIDs(
            FetchRequest<ManagedObject>(entityName: relationship.description.destination, limit: 3))
        return Array(candidates.filter { $0 != present }.prefix(2))
    }
}

extension Value {
    fileprivate var text: String {
        switch self {
        case .string(let text): text
        case .int(let number): "\(number)"
        case .double(let number): "\(number)"
        case .bool(let flag): "\(flag)"
        default: "\(self)"
        }
    }

    /// The device whose mark this value is; nil for any other value.
    fileprivate var author: String? {
        switch self {
        case .string("edited by A"), .int(1), .double(1), .bool(true): "A"
        case .string("edited by B"), .int(2), .double(2), .bool(false): "B"
        default: nil
        }
    }
}
