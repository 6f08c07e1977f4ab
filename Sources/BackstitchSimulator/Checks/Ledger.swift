package import Backstitch
package import BackstitchSync

/// The promises made to devices, and their outcome.
///
/// A save that has returned is a promise. Each of its writes has one of these outcomes:
///
/// - the server has applied it,
/// - a later write of the same device has replaced it,
/// - its object is deleted,
/// - the device has given it up, and has reported it as a conflict.
///
/// If the save did not return, the write may have happened or not.
package struct Ledger {
    /// A property of an object, as a key of the ledger.
    package struct Place: Hashable, Comparable, CustomStringConvertible {
        package let key: ObjectKey
        package let property: String

        package init(_ key: ObjectKey, _ property: String) {
            self.key = key
            self.property = property
        }

        package static func < (left: Place, right: Place) -> Bool {
            (left.key, left.property) < (right.key, right.property)
        }

        package var description: String { "\(key.uuidString.suffix(4)).\(property)" }
    }

    /// A write that a save has promised.
    struct Promise {
        let device: String
        /// Nil if the property was cleared or the object deleted: then there is no value to find again.
        let value: String?
        let number: Int
        /// The number of the commit on the device's disk.
        let commit: Int
    }

    /// A second record of an object.
    private struct Twin {
        /// The further zone that has it; nil for the main zone.
        let zone: String?
        var record: [String: String]
    }

    var promises: [Place: [Promise]] = [:]
    var deletions: [ObjectKey: [Promise]] = [:]
    /// The values that the server has taken, in the order of its commits.
    var taken: [Place: [String]] = [:]
    /// The server's latest version of each record; nil when it is deleted.
    private(set) var server: [ObjectKey: [String: String]?] = [:]
    /// The step of the world at which the server removed each record.
    private var everGone: [ObjectKey: Int] = [:]
    /// The zones of the removed records.
    private var goneFrom: [ObjectKey: String?] = [:]
    /// The zones of records outside the main zone.
    private var zones: [ObjectKey: String] = [:]
    /// The device that first made each record.
    private var makers: [ObjectKey: String] = [:]
    /// Removed records whose tombstones the server has forgotten.
    private var forgotten: Set<ObjectKey> = []
    /// For each guest: the records removed before the guest accepted a share. The guest does not hear of these
    /// deletions.
    private var unheard: [String: Set<ObjectKey>] = [:]
    private var doubtful: Set<ObjectKey> = []
    /// Conflicts that devices have reported, with the commits of their disks.
    var conflicts: [String: [Int]] = [:]
    private var reborn: Set<ObjectKey> = []
    /// The parent of each object that has one.
    package var parents: [ObjectKey: ObjectKey] = [:]
    /// Devices that may not know the outcome of their push. The answer was lost, garbled or late, the process died
    /// before it wrote it, or a power cut took commits back.
    package var mayLackAnswers: Set<String> = []
    /// For each device, the last promise that it may have given up without a report.
    private(set) var forgiven: [String: Int] = [:]
    private var last = 0
    /// Guests' devices with a part of the zone in sight. Such a device may delete an object after it has left its
    /// sight. The server does not tell it that the object still exists.
    var guestsOfParts: Set<String> = []
    /// Objects that have a second record, and the zone of that record. It arises when an object moves in two steps, or
    /// when a zone was lost and filled again.
    private var twins: [ObjectKey: Twin] = [:]
    /// Whether the server has lost the zone. This may undo deletions.
    package var hasLostZone = false
    /// Whether the server cannot tell a repeated or late insert from a new one.
    private let isPlain: Bool

    package init(isPlain: Bool = false) { self.isPlain = isPlain }

    // MARK: Events on devices

    /// Called when a device has saved a value; nil for a cleared property.
    package mutating func saved(_ device: String, _ place: Place, _ value: String?, at commit: Int = 0) {
        last += 1
        promises[place, default: []].append(Promise(device: device, value: value, number: last, commit: commit))
    }

    /// Called when a device has saved a deletion.
    package mutating func deleted(_ device: String, _ key: ObjectKey, at commit: Int = 0) {
        last += 1
        deletions[key, default: []].append(Promise(device: device, value: nil, number: last, commit: commit))
    }

    /// Called when a device died while it saved a deletion.
    package mutating func mayHaveDeleted(_ key: ObjectKey) { doubtful.insert(key) }

    /// Called when a device has reported a conflict.
    package mutating func reported(_ device: String, _ conflict: SyncConflict, at commit: Int = 0) {
        let object = "\(device) \(conflict.objectID.key)"
        switch conflict.kind {
        case .edits: for key in conflict.keys { conflicts["\(object) \(key)", default: []].append(commit) }
        case .editedHereDeletedThere:
            conflicts[object, default: []].append(commit)
            // A device without edits of the object has nothing to weigh against a deletion.
            if conflict.winner == .client, !conflict.keys.isEmpty { reborn.insert(conflict.objectID.key) }
        case .deletedHereEditedThere:
            conflicts[object, default: []].append(commit)
            if conflict.winner == .server { reborn.insert(conflict.objectID.key) }
        }
    }

    /// Called when a device has reverted a change, because its user had no right to it.
    package mutating func reverted(_ device: String, _ change: RevertedChange, at commit: Int = 0) {
        conflicts["\(device) \(change.objectID.key)", default: []].append(commit)
        if change.kind == .delete { reborn.insert(change.objectID.key) }
    }

    /// Called when a device died right after a commit. Changes given up in this commit were not reported.
    package mutating func forgive(_ device: String) { forgiven[device] = last }

    // MARK: Events on the server

    /// Called when the server has taken a record. Fields without a name in the request stay, unless the record is made
    /// anew.
    ///
    /// - Parameter sent: The step of the world at the sending of the request. If the record was removed later, the new
    ///   record is not the sender's decision, and the sender must remove it again.
    /// - Returns: The fault in it; nil when there is none.
    package mutating func took(
        _ key: ObjectKey, _ fields: [String: String?], isNew: Bool, by device: String, sent: Int = .max
    ) -> String? {
        var record = isNew ? [:] : (server[key] ?? nil) ?? [:]
        for (name, value) in fields {
            record[name] = value
            if let value { taken[Place(key, name), default: []].append(value) }
        }
        let wasGone = isGone(key)
        server[key] = .some(record)
        if makers[key] == nil { makers[key] = device }
        let isLate = sent < everGone[key] ?? 0
        // A device with the public database does not hear of objects outside its followed parts, not even of its own.
        if isPlain || zones[key] == SimulatedServer.publicZone, wasGone, isLate || makers[key] == device {
            reborn.insert(key)
            return nil
        }
        // A device can send to a new zone before it hears of the deletion in the old zone. The object must go again.
        let isOnItsWay = goneFrom[key].map { $0 != zones[key] } ?? false
        guard wasGone, !isLate, !isOnItsWay, !reborn.contains(key), !mayHaveLost(key) else { return nil }
        // The device had no answer to its insert and finds no record. If the server has forgotten removals, the device
        // cannot know that the record existed and was deleted.
        let isRepeated =
            makers[key] == device && (forgotten.contains(key) || unheard[device]?.contains(key) ?? false)
        guard forgiven[device] != nil || isRepeated else {
            return "\(device) has made the deleted record \(key.uuidString.suffix(4)) anew, and nobody has decided that"
        }
        // The device may have decided to make it anew, and died before it could report that.
        reborn.insert(key)
        return nil
    }

    /// Whether the server has removed a record, and no device has made it anew.
    package func isGone(_ key: ObjectKey) -> Bool { everGone[key] != nil && (server[key] ?? nil) == nil }

    /// Called when the server has removed a record.
    package mutating func removed(_ key: ObjectKey, at step: Int = 0) {
        server[key] = .some(nil)
        everGone[key] = step
        goneFrom.updateValue(zones[key], forKey: key)
    }

    /// Called when the server has forgotten its tombstones.
    package mutating func forgotRemovals() { forgotten.formUnion(everGone.keys.filter(isGone)) }

    /// Called when a guest is let in and reads the present records.
    mutating func letIn(_ device: String) {
        unheard[device, default: []].formUnion(everGone.keys.filter(isGone))
    }

    /// Called when the server has lost everything in the main zone.
    package mutating func lostZone() {
        hasLostZone = true
        let inMainZone = server.keys.filter { zones[$0] == nil }
        twins = twins.filter { zones[$0.key] == nil || $0.value.zone != nil }
        for key in inMainZone where !livesOn(key, without: nil) { server[key] = nil }
    }

    /// Whether a record may have been in a zone that the server has lost. The server then forgets the deletion of the
    /// record, too. The public database loses nothing.
    private func mayHaveLost(_ key: ObjectKey) -> Bool {
        hasLostZone && zones[key] != SimulatedServer.publicZone
    }

    /// Called when a record was made in a further zone; nil is the main zone. A record of the same object in another
    /// zone becomes its twin.
    mutating func note(_ key: ObjectKey, inZone zone: String?) {
        if zones[key] != zone, let record = server[key] ?? nil { twins[key] = Twin(zone: zones[key], record: record) }
        zones[key] = zone
    }

    /// Called when one of an object's records was deleted.
    ///
    /// - Returns: Whether the object lives on in another record.
    mutating func livesOn(_ key: ObjectKey, without zone: String?) -> Bool {
        guard let twin = twins.removeValue(forKey: key) else { return false }
        guard twin.zone != zone else { return true }
        zones[key] = twin.zone
        server[key] = .some(twin.record)
        for (name, value) in twin.record { taken[Place(key, name), default: []].append(value) }
        return true
    }

    /// Called when the server has taken a change of an object's second record. The change does not count as taken while
    /// the object has another record: a move must bring it there.
    mutating func tookBeside(_ key: ObjectKey, _ fields: [String: String?], inZone zone: String?) {
        guard twins[key]?.zone == zone else { return }
        for (name, value) in fields { twins[key]?.record[name] = value }
    }

    /// The server's objects in a further zone.
    func objects(inZone zone: String) -> [ObjectKey: [String: String]] {
        server.compactMapValues { $0 }.filter { zones[$0.key] == zone }
    }

    /// The further zone of an object's latest record; nil for the main zone.
    func zone(of key: ObjectKey) -> String? { zones[key] }

    /// Called when the server has lost a further zone for good. The objects in it are deleted.
    mutating func lostZone(_ zone: String, at step: Int) {
        hasLostZone = true
        twins = twins.filter { zones[$0.key] == zone || $0.value.zone != zone }
        for key in zones.keys.sorted() where zones[key] == zone && (server[key] ?? nil) != nil {
            if livesOn(key, without: zone) { continue }
            removed(key, at: step)
        }
    }

    // MARK: The verdict

    /// Returns the broken promises, given the final state of the devices.
    ///
    /// - Parameter values: The properties of all objects that exist.
    package func broken(by values: [ObjectKey: [String: String]]) -> [String] {
        lostWrites(values) + lostDeletions(values) + differences(values)
    }

    private func lostWrites(_ values: [ObjectKey: [String: String]]) -> [String] {
        promises.keys.sorted().flatMap { place -> [String] in
            let all = promises[place] ?? []
            guard let object = values[place.key] else {
                return isDeletionExplained(place.key) || all.allSatisfy { isGivenUp($0, place) }
                    ? [] : ["\(place) is gone with its object, which nobody has deleted"]
            }
            return all.compactMap { promise in
                guard let value = promise.value, object[place.property] != value,
                    !(taken[place] ?? []).contains(value), !isSuperseded(promise, place), !isGivenUp(promise, place)
                else { return nil }
                return "\(promise.device)'s write of \(value) to \(place) is lost: nobody has it, and nobody was told"
            }
        }
    }

    /// Whether the same device later wrote to the place again or deleted the object, with any outcome.
    private func isSuperseded(_ promise: Promise, _ place: Place) -> Bool {
        let later = (promises[place] ?? []) + (deletions[place.key] ?? [])
        return later.contains { $0.device == promise.device && $0.number > promise.number }
    }

    private func isGivenUp(_ promise: Promise, _ place: Place) -> Bool {
        conflicts["\(promise.device) \(place.key) \(place.property)"] != nil
            || conflicts["\(promise.device) \(place.key)"] != nil
            || promise.number <= forgiven[promise.device] ?? 0
    }

    private func isDeletionExplained(_ key: ObjectKey) -> Bool {
        if everGone[key] != nil || hasUserDeleted(key) { return true }
        // A device had deleted it together with its parent, and had not sent that before the zone was lost.
        return mayHaveLost(key) && parents[key].map(isDeletionExplained) ?? false
    }

    /// Whether a user may have deleted an object. Otherwise a device deleted it because its parent was deleted.
    func hasUserDeleted(_ key: ObjectKey) -> Bool { deletions[key] != nil || doubtful.contains(key) }

    private func lostDeletions(_ values: [ObjectKey: [String: String]]) -> [String] {
        deletions.keys.sorted().filter { key in
            // With the zone, the server has lost its knowledge of deletions. Deletions that it had never received are
            // still to come.
            values[key] != nil && !reborn.contains(key) && !(mayHaveLost(key) && everGone[key] != nil)
        }.compactMap { key in
            let open = (deletions[key] ?? []).filter {
                $0.number > forgiven[$0.device] ?? 0 && !guestsOfParts.contains($0.device)
            }
            return open.first.map { "\($0.device)'s deletion of \(key.uuidString.suffix(4)) is lost" }
        }
    }

    /// Returns the differences between the devices' objects and the server's values.
    private func differences(_ values: [ObjectKey: [String: String]]) -> [String] {
        var faults: [String] = []
        for (key, record) in server.sorted(by: { $0.key < $1.key }) {
            let object = values[key]
            if (record != nil) != (object != nil) {
                faults.append("\(key.uuidString.suffix(4)) is \(record == nil ? "gone" : "there") on the server only")
                continue
            }
            guard let record, let object else { continue }
            for (name, value) in record.sorted(by: { $0.key < $1.key })
            where object[name] != nil && object[name] != value {
                faults.append("\(Place(key, name)) is \(value) on the server and \(object[name] ?? "") on devices")
            }
        }
        for key in values.keys.sorted() where server[key] == nil {
            faults.append("\(key.uuidString.suffix(4)) is on devices only")
        }
        return faults
    }
}
