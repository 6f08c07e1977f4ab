import Backstitch
import BackstitchSync

/// What two devices do to the same objects while neither sees the other, and what has to come of it.
///
/// A comes back first, so what A did is what the server has when B comes.
struct ConflictScenario {
    /// How one conflict ended.
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

    /// Plays with five objects, the `round`th five in the order of names.
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
        ids = found.map(\.0)
        names = found.map(\.1)
    }

    /// What A does offline.
    func editOnA(_ device: Device) async throws {
        let (stage, ids) = (stage, ids)
        try await device.container.perform(author: "A") { context in
            let objects = try ids.map { try context.existingObject(with: $0) }
            try objects[0].mark(stage.contested, by: "A")
            try objects[1].mark(stage.contested, by: "A")
            context.delete(objects[2])
            try objects[3].mark(stage.contested, by: "A")
            try objects[4].relink(stage, to: 0)
            try context.save()
        }
    }

    /// What B does offline.
    func editOnB(_ device: Device) async throws {
        let (stage, ids) = (stage, ids)
        try await device.container.perform(author: "B") { context in
            let objects = try ids.map { try context.existingObject(with: $0) }
            try objects[0].mark(stage.contested, by: "B")
            try objects[1].mark(stage.other, by: "B")
            try objects[2].mark(stage.contested, by: "B")
            context.delete(objects[3])
            try objects[4].relink(stage, to: 1)
            try context.save()
        }
    }

    /// How the conflicts ended on a device.
    func outcomes(on device: Device) async throws -> [Outcome] {
        let (stage, ids) = (stage, ids)
        let ends = try await device.container.perform { context in
            try ids.map { id -> End? in
                guard let object = try? context.existingObject(with: id) else { return nil }
                return End(
                    contested: try object.value(forKey: stage.contested).author,
                    other: try object.value(forKey: stage.other).author,
                    destination: try stage.relationship.map { try object.value(forKey: $0) },
                    candidates: try object.destinations(for: stage))
            }
        }
        let winner = policy == "clientWins" ? "B" : "A"
        return [
            outcome(0, "same field", ends[0]?.contested ?? "nobody", winner),
            outcome(1, "different fields", ends[1].map { ($0.contested ?? "") + ($0.other ?? "") } ?? "nobody", "AB"),
            outcome(2, "A deletes, B edits", ends[2] == nil ? "A" : ends[2]?.contested ?? "nobody", winner),
            outcome(3, "A edits, B deletes", ends[3] == nil ? "B" : ends[3]?.contested ?? "nobody", winner),
        ]
            + (stage.relationship == nil
                ? [] : [outcome(4, "relinked to different ones", ends[4]?.linker ?? "nobody", winner)])
    }

    private func outcome(_ index: Int, _ what: String, _ winner: String, _ expected: String) -> Outcome {
        Outcome(
            what: what, object: names[index], winner: winner == "AB" ? "both" : winner, isAsExpected: winner == expected
        )
    }

    private struct End: Sendable {
        let contested: String?
        let other: String?
        let destination: Value?
        let candidates: [Value]

        /// Who linked to what it is linked to now.
        var linker: String {
            guard let destination, let index = candidates.firstIndex(of: destination) else { return "nobody" }
            return index == 0 ? "A" : "B"
        }
    }
}

extension ManagedObject {
    /// Leaves a device's mark in an attribute: as text at the end, or as a number that ends in 1 for A and 2 for B.
    fileprivate func mark(_ key: String, by device: String) throws {
        let number = device == "A" ? 1 : 2
        switch entity.property(named: key)?.attribute?.type {
        case .integer16?, .integer32?, .integer64?: try setValue(.int(Int64(number)), forKey: key)
        case .double?, .float?, .decimal?: try setValue(.double(Double(number)), forKey: key)
        case .boolean?: try setValue(.bool(device == "A"), forKey: key)
        default: try setValue(.string("edited by \(device)"), forKey: key)
        }
    }

    /// Links the object to the first or second of the destination's objects that it is not linked to at first.
    fileprivate func relink(_ stage: Stage, to index: Int) throws {
        guard let key = stage.relationship, case .object(let id)? = try destinations(for: stage)[safe: index] else {
            return
        }
        try setObject(managedObjectContext?.existingObject(with: id), forKey: key)
    }

    /// Two destinations to choose from, the same on every device.
    fileprivate func destinations(for stage: Stage) throws -> [Value] {
        guard let key = stage.relationship, let context = managedObjectContext,
            let relationship = entity.property(named: key)?.relationship
        else { return [] }
        return try context.fetchObjectIDs(
            FetchRequest<ManagedObject>(entityName: relationship.description.destination, limit: 2)
        ).map { .object($0) }
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

    /// Which device's mark it is.
    fileprivate var author: String? {
        switch self {
        case .string("edited by A"), .int(1), .double(1), .bool(true): "A"
        case .string("edited by B"), .int(2), .double(2), .bool(false): "B"
        default: nil
        }
    }
}

extension Array {
    fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
