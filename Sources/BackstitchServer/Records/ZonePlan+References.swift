import CloudWire

extension ZonePlan {
    /// Checks references that demand their target, and finds what deletions take with them.
    ///
    /// The order within the batch does not matter: a record may refer to one that the same batch makes. A failure may
    /// take the ground from under another operation, so this goes on until nothing changes.
    mutating func settleReferences(_ reading: any ZoneReading) throws {
        guard changes.contains(where: { $0?.record.deleted == true || $0?.references.isEmpty == false }) else { return }
        while true {
            var planned = plannedStates()
            cascade = []
            if try findMissingTarget(planned, reading) { continue }
            if try findDeletions(&planned, reading) { continue }
            return
        }
    }

    /// Whether the records of the batch will be there, by name.
    private func plannedStates() -> [ByteName: Bool] {
        var states: [ByteName: Bool] = [:]
        for case let change? in changes { states[ByteName(change.record.name)] = !change.record.deleted }
        return states
    }

    /// Fails the first save whose demanded target will not be there; true when there was one.
    private mutating func findMissingTarget(_ planned: [ByteName: Bool], _ reading: any ZoneReading) throws -> Bool {
        for index in changes.indices {
            for reference in changes[index]?.references ?? [] where reference.action == .validate {
                let exists =
                    try planned[ByteName(reference.target)]
                    ?? reading.records(zone, named: [reference.target]).contains { $0?.deleted == false }
                if exists { continue }
                fail(
                    index,
                    "record '\(reference.source)' refers to '\(reference.target)', which does not exist")
                return true
            }
        }
        return false
    }

    /// Follows every deletion to the records that go with it; fails the first one that a demanding reference forbids,
    /// and is then true.
    private mutating func findDeletions(
        _ planned: inout [ByteName: Bool], _ reading: any ZoneReading
    ) throws -> Bool {
        for index in changes.indices {
            guard let change = changes[index], change.record.deleted else { continue }
            var rest = [change.record.name]
            var taken: [StoredRecord] = []
            while let target = rest.popLast() {
                for reference in try reading.references(zone, to: target) {
                    // What this batch saves has new references, and what it deletes has none.
                    if planned[ByteName(reference.source)] != nil { continue }
                    if reference.action == .validate {
                        fail(index, "record '\(target)' is still referred to by '\(reference.source)'")
                        return true
                    }
                    guard let source = try reading.records(zone, named: [reference.source]).first ?? nil,
                        !source.deleted
                    else { continue }
                    planned[ByteName(source.name)] = false
                    taken.append(source)
                    rest.append(source.name)
                }
            }
            cascade += taken
        }
        return false
    }

    private mutating func fail(_ index: Int, _ reason: String) {
        changes[index] = nil
        faults[index] = (WireError(.validatingReferenceError, reason), nil)
    }
}
