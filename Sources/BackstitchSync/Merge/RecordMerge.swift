package import Backstitch
import Foundation

/// Merges one object's record on the server with the changes here. It is pure: values in, values out.
package struct RecordMerge: Sendable {
    /// The object to merge.
    package let objectID: ObjectID
    /// The entity of the object.
    package let entity: ResolvedEntity
    /// Decides if both sides changed the same property.
    package let resolver: any ConflictResolver
    /// The time of the record's last change on the server; nil if it is not known.
    var serverDate: Date?
    /// The dates of the saves of the unsent change, by their numbers, if the resolver uses dates.
    var saveDates: [Int64: Date] = [:]

    /// The object's unsent change, with its state on the server.
    package struct Local: Sendable {
        /// The outbox entry of the change.
        package var entry: OutboxEntry
        /// The present image of the object; nil if it is deleted.
        package var image: RecordImage?
        /// Whether the server may already have taken an insert, so that its record may be this very object.
        package var mayHaveArrived: Bool
        /// The last transaction whose edits are in the insert that may have arrived. It is 0 unless only this device
        /// can have created the record.
        package var arrivedSequence: Int64
        /// Whether the server is known to have had the object's record before.
        package var wasOnServer: Bool
        /// The traces of pushes with unknown answers.
        package var traces: [PushTrace]
        /// The changes of the server's record outside its values, since the last agreement with the server.
        package var rest = RestOfRecord()

        /// Creates the local side of a merge.
        package init(
            entry: OutboxEntry, image: RecordImage?, mayHaveArrived: Bool, arrivedSequence: Int64 = 0,
            wasOnServer: Bool = true, traces: [PushTrace] = []
        ) {
            self.entry = entry
            self.image = image
            self.mayHaveArrived = mayHaveArrived
            self.arrivedSequence = arrivedSequence
            self.wasOnServer = wasOnServer
            self.traces = traces
        }
    }

    /// The result of a merge.
    package struct Outcome: Sendable, Equatable {
        /// The change of the row.
        package enum Row: Sendable, Equatable {
            /// The row stays as it is.
            case keep
            /// The row gets these values, or is created with them.
            case write(RecordImage)
            /// The row is deleted.
            case delete
        }

        /// The change of the row.
        package var row: Row
        /// The change that is still to be sent; nil for none.
        package var entry: OutboxEntry?
        /// The conflicts: changes that could not both stay.
        package var conflicts: [SyncConflict] = []
        /// This side's version that becomes a new object, if both stay.
        package var copy: RecordImage?
        /// Whether nothing was decided, so that the server's record does not count as known.
        package var isUndecided = false
    }

    /// Creates a merge for one object.
    package init(objectID: ObjectID, entity: ResolvedEntity, resolver: any ConflictResolver) {
        self.objectID = objectID
        self.entity = entity
        self.resolver = resolver
    }

    /// The name in a push's trace that marks a deletion of the record: with its object, or because the object is now
    /// local. No property has this name.
    static let removal = "-"

    /// Merges a change here with the server's present record.
    package func merge(_ local: Local, with server: RecordImage) -> Outcome {
        guard local.entry.kind != .delete else { return deletedHere(local, editedThere: server) }
        guard let image = local.image else {
            // An edit without an object is impossible, so the server's record is taken.
            return Outcome(row: .write(server), entry: nil)
        }
        return mergeEdits(local, image, server)
    }

    /// Merges a change here with the deletion of the server's record.
    package func mergeDeletion(_ local: Local) -> Outcome {
        var entry = local.entry
        // The object is gone here too, so its changes are discarded.
        if entry.kind == .delete || local.image == nil { return Outcome(row: .keep, entry: nil) }
        // An insert that was never sent is a new incarnation of the object, not the deleted one. A record that is still
        // to be created in this zone was not deleted there either.
        if entry.kind == .insert || !local.wasOnServer, !local.mayHaveArrived {
            return Outcome(row: .keep, entry: entry)
        }
        if local.traces.contains(where: { $0[Self.removal] != nil }) {
            // This device itself deleted the record, and the answer was lost. The object stays here, or is here again,
            // and is sent if the model wants that now.
            entry.makeAnew()
            return Outcome(row: .keep, entry: entry)
        }
        if isUnsentFold(local) {
            // The deleting device did not know of the other object, which is now merged into this one.
            entry.makeAnew()
            return Outcome(row: .keep, entry: entry)
        }
        // There were no edits, only an encryption with another key.
        if entry.hasNoEdits { return Outcome(row: .delete, entry: nil) }
        // Only this device can have created the record, so its deleter has read it with the edits sent in it.
        let unheard = entry.fields.filter { $0.sequence > local.arrivedSequence }.map(\.name)
        if entry.kind == .insert, unheard.isEmpty, entry.firstSequence == 0 || entry.isMadeHereOnly {
            return Outcome(row: .delete, entry: nil)
        }
        let decision = resolver.decide(of: entity) {
            ConflictToResolve(
                objectID: objectID, kind: .editedHereDeletedThere, keys: unheard, base: base(of: local),
                local: local.image.map(values) ?? [:], server: [:], localDate: localDate(of: unheard, entry))
        }
        guard case .winner(let winner, _) = decision else { return undecided(decision, entry) }
        let conflict = SyncConflict(
            objectID: objectID, kind: .editedHereDeletedThere, keys: unheard, winner: winner)
        guard winner == .client else { return Outcome(row: .delete, entry: nil, conflicts: [conflict]) }
        entry.makeAnew()
        return Outcome(row: .keep, entry: entry, conflicts: [conflict])
    }

    /// Returns whether another object with the same unique values was merged into this one, without the server's
    /// knowledge. Such a merge lists an unchanged unique property in the entry; see ``DuplicateMerger``.
    private func isUnsentFold(_ local: Local) -> Bool {
        guard let image = local.image, let slot = entity.uniquenessConstraints.first?.first else { return false }
        let property = entity.properties[slot]
        return local.entry.fields.contains { $0.name == property.name && $0.base == image.content(of: property) }
    }

    /// Returns the date of the last save of these properties; for a deletion, that of the deletion.
    func localDate(of keys: [String], _ entry: OutboxEntry) -> Date? { saveDates[entry.lastSave(of: keys)] }

    /// Returns the last values that both sides had in common.
    private func base(of local: Local) -> [String: Value] {
        var base = local.image.map(values) ?? [:]
        for field in local.entry.fields {
            if base[field.name] != nil, case .value(let value) = field.base { base[field.name] = value }
        }
        return base
    }

    /// Keeps both sides as they are. The change here waits, or is blocked if a resolver refused to decide.
    func undecided(_ decision: ConflictDecision, _ entry: OutboxEntry) -> Outcome {
        var entry = entry
        if case .refused(let reason) = decision { entry.blockedReason = reason }
        return Outcome(row: .keep, entry: entry, isUndecided: true)
    }
}
