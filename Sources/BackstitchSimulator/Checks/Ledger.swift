package import Backstitch
package import BackstitchSync

/// The promises that every device has got, and their outcome.
///
/// A save that has returned is a promise: each of its writes must end up as applied by the server, followed by a later
/// write of the same device, gone with its object, or given up and reported. A write whose save did not return may
/// have happened or not.
package struct Ledger {
    /// A property of an object.
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

    /// A promised write.
    struct Promise {
        let device: String
        /// Nil where the property was cleared, or the object deleted: nothing by which one could find it again.
        let value: String?
        let number: Int
        /// The commit of the device's disk by which it was saved.
        let commit: Int
    }

    var promises: [Place: [Promise]] = [:]
    var deletions: [ObjectKey: [Promise]] = [:]
    /// The values that the server has taken, in the order of its commits.
    var taken: [Place: [String]] = [:]
    /// The last word of the server on each record: nil when it is gone.
    private(set) var server: [ObjectKey: [String: String]?] = [:]
    /// When the server has removed a record, in steps of the world.
    private var everGone: [ObjectKey: Int] = [:]
    /// The zones in which those records were.
    private var goneFrom: [ObjectKey: String?] = [:]
    /// The zones of records that are not in the main one.
    private var zones: [ObjectKey: String] = [:]
    /// The device that has made a record first.
    private var makers: [ObjectKey: String] = [:]
    /// Records that were removed, and of whose removal the server knows nothing any more.
    private var forgotten: Set<ObjectKey> = []
    /// Of guests who were let in anew: records that had been removed by then, of which they hear nothing.
    private var unheard: [String: Set<ObjectKey>] = [:]
    private var doubtful: Set<ObjectKey> = []
    /// Conflicts that devices have reported, with the commits of their disks.
    var conflicts: [String: [Int]] = [:]
    private var reborn: Set<ObjectKey> = []
    /// The objects on which others hang, by those.
    package var parents: [ObjectKey: ObjectKey] = [:]
    /// Devices that may lack the answer of a push that was carried out: it was lost, garbled or late, they died
    /// before they had written it, or a power cut has taken commits from them.
    package var mayLackAnswers: Set<String> = []
    /// Numbers of promises up to which a device may have given up some without being able to report.
    private(set) var forgiven: [String: Int] = [:]
    private var last = 0
    /// Devices of guests who see a part of the zone: of an object that has left their sight, and that they have deleted
    /// before they knew, nobody tells them that it is there still.
    var guestsOfParts: Set<String> = []
    /// Objects that have a second record: in the zone from which they were about to move, where another device has
    /// taken the mark away, or in one that was lost and filled again.
    private var twins: [ObjectKey: String?] = [:]
    /// The records that zones had which the server has lost.
    private var lost: [ObjectKey: [String: String]] = [:]
    /// Objects whose record says that it goes to another zone.
    private var marked: Set<ObjectKey> = []
    /// Whether the server has lost the zone, so that deletions may have been undone.
    package var hasLostZone = false
    /// Whether the server cannot tell a repeated insert, or one that arrives late, from a new one.
    private let isPlain: Bool

    package init(isPlain: Bool = false) { self.isPlain = isPlain }

    // MARK: Events on devices

    /// A device has saved a value; nil for none.
    package mutating func saved(_ device: String, _ place: Place, _ value: String?, at commit: Int = 0) {
        last += 1
        promises[place, default: []].append(Promise(device: device, value: value, number: last, commit: commit))
    }

    /// A device has saved a deletion.
    package mutating func deleted(_ device: String, _ key: ObjectKey, at commit: Int = 0) {
        last += 1
        deletions[key, default: []].append(Promise(device: device, value: nil, number: last, commit: commit))
    }

    /// A device has died while it saved deletions.
    package mutating func mayHaveDeleted(_ key: ObjectKey) { doubtful.insert(key) }

    /// A device has reported a conflict.
    package mutating func reported(_ device: String, _ conflict: SyncConflict, at commit: Int = 0) {
        let object = "\(device) \(conflict.objectID.key)"
        switch conflict.kind {
        case .edits: for key in conflict.keys { conflicts["\(object) \(key)", default: []].append(commit) }
        case .editedHereDeletedThere:
            conflicts[object, default: []].append(commit)
            // A device that has edited nothing has nothing to set against a deletion.
            if conflict.winner == .client, !conflict.keys.isEmpty { reborn.insert(conflict.objectID.key) }
        case .deletedHereEditedThere:
            conflicts[object, default: []].append(commit)
            if conflict.winner == .server { reborn.insert(conflict.objectID.key) }
        }
    }

    /// A device has taken a change back, to which its user had no right.
    package mutating func reverted(_ device: String, _ change: RevertedChange, at commit: Int = 0) {
        conflicts["\(device) \(change.objectID.key)", default: []].append(commit)
        if change.kind == .delete { reborn.insert(change.objectID.key) }
    }

    /// A device has died right after a commit, so that what it gave up in it was not reported.
    package mutating func forgive(_ device: String) { forgiven[device] = last }

    // MARK: Events on the server

    /// The server has taken a record; fields that are not named stay, unless it is made anew.
    ///
    /// - Parameter sent: When the request was sent, in steps of the world. One that has travelled since before the
    ///   record was removed is nobody's decision; its sender is to see to it that the record goes again.
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
        // Of the public database a device does not hear what it does not follow, not even of what it has made itself.
        if isPlain || zones[key] == SimulatedServer.publicZone, wasGone, isLate || makers[key] == device {
            reborn.insert(key)
            return nil
        }
        // No device hears of a deletion in one zone before it sends to another one; the object must go again.
        let isOnItsWay = goneFrom[key].map { $0 != zones[key] } ?? false
        guard wasGone, !isLate, !isOnItsWay, !reborn.contains(key), !mayHaveLost(key) else { return nil }
        // A device that has had no answer to an insert, and finds no record where removals are forgotten, cannot know
        // that it was there.
        let isRepeated =
            makers[key] == device && (forgotten.contains(key) || unheard[device]?.contains(key) ?? false)
        guard forgiven[device] != nil || isRepeated else {
            return "\(device) has made the deleted record \(key.uuidString.suffix(4)) anew, and nobody has decided that"
        }
        // It may have decided so, and died before it could say so.
        reborn.insert(key)
        return nil
    }

    /// Whether the server has removed a record, and nobody has made it anew.
    package func isGone(_ key: ObjectKey) -> Bool { everGone[key] != nil && (server[key] ?? nil) == nil }

    /// The server has removed a record.
    package mutating func removed(_ key: ObjectKey, at step: Int = 0) {
        server[key] = .some(nil)
        everGone[key] = step
        goneFrom.updateValue(zones[key], forKey: key)
    }

    /// The server has forgotten what was removed until now.
    package mutating func forgotRemovals() { forgotten.formUnion(everGone.keys.filter(isGone)) }

    /// A guest is let in, and reads what there is.
    mutating func letIn(_ device: String) {
        unheard[device, default: []].formUnion(everGone.keys.filter(isGone))
    }

    /// The server has lost everything in the main zone.
    package mutating func lostZone() {
        hasLostZone = true
        let inMainZone = server.keys.filter { zones[$0] == nil }
        twins = twins.filter { zones[$0.key] == nil || $0.value != nil }
        for key in inMainZone where !livesOn(key, without: nil) { server[key] = nil }
    }

    /// Whether a record may have been in a zone that the server has lost, with what it knew of the record's deletion.
    /// The public database loses nothing.
    private func mayHaveLost(_ key: ObjectKey) -> Bool {
        hasLostZone && zones[key] != SimulatedServer.publicZone
    }

    /// A record was made in a zone beside the main one; nil for that. One that its object has in another zone, and
    /// that nothing marks, is its twin.
    mutating func note(_ key: ObjectKey, inZone zone: String?) {
        if zones[key] != zone, (server[key] ?? nil) != nil, !marked.contains(key) { noteTwin(key, inZone: zones[key]) }
        marked.remove(key)
        zones[key] = zone
    }

    /// A record was marked, or has lost its mark.
    mutating func noteMark(_ key: ObjectKey, isThere: Bool) {
        if isThere { marked.insert(key) } else { marked.remove(key) }
    }

    /// An object has another record than the one that was made last: in that zone, where nothing marks it.
    mutating func noteTwin(_ key: ObjectKey, inZone zone: String?) { twins.updateValue(zone, forKey: key) }

    /// One of an object's records was deleted.
    ///
    /// - Returns: Whether it has another one, in which it lives on.
    mutating func livesOn(_ key: ObjectKey, without zone: String?) -> Bool {
        guard let twin = twins.removeValue(forKey: key) else { return false }
        if twin != zone { zones[key] = twin }
        return true
    }

    /// The objects that the server has in a zone beside the main one.
    func objects(inZone zone: String) -> [ObjectKey: [String: String]] {
        server.compactMapValues { $0 }.filter { zones[$0.key] == zone }
    }

    /// The zone beside the main one in which a record was made last; nil for that.
    func zone(of key: ObjectKey) -> String? { zones[key] }

    /// The server has lost a zone beside the main one, for good: what was in it is deleted.
    mutating func lostZone(_ zone: String, at step: Int) {
        hasLostZone = true
        twins = twins.filter { zones[$0.key] == zone || $0.value != zone }
        for key in zones.keys.sorted() where zones[key] == zone && (server[key] ?? nil) != nil {
            if livesOn(key, without: zone) { continue }
            lost[key] = server[key] ?? nil
            removed(key, at: step)
        }
    }

    /// A record has lost its mark, since the zone was lost to which its object had gone: that stays where it was.
    mutating func cameBack(_ key: ObjectKey, toZone zone: String?) {
        guard isGone(key), let record = lost.removeValue(forKey: key) else { return noteTwin(key, inZone: zone) }
        server[key] = .some(record)
        zones[key] = zone
    }

    // MARK: The verdict

    /// Returns the promises that were not kept, given what everybody holds in the end.
    ///
    /// - Parameter values: The properties of all objects that are there.
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

    /// Whether the same device has written over it, or deleted the object, whatever became of that.
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
        // A device that had deleted it with what it hung on had not sent that before the zone was lost.
        return mayHaveLost(key) && parents[key].map(isDeletionExplained) ?? false
    }

    /// Whether a user may have deleted an object. Else its device has, as what it hung on had gone.
    func hasUserDeleted(_ key: ObjectKey) -> Bool { deletions[key] != nil || doubtful.contains(key) }

    private func lostDeletions(_ values: [ObjectKey: [String: String]]) -> [String] {
        deletions.keys.sorted().filter { key in
            // With the zone, the server has lost what it knew of deletions; those that it had never got are still to
            // come.
            values[key] != nil && !reborn.contains(key) && !(mayHaveLost(key) && everGone[key] != nil)
        }.compactMap { key in
            let open = (deletions[key] ?? []).filter {
                $0.number > forgiven[$0.device] ?? 0 && !guestsOfParts.contains($0.device)
            }
            return open.first.map { "\($0.device)'s deletion of \(key.uuidString.suffix(4)) is lost" }
        }
    }

    /// Returns the differences between devices and the values that the server has taken.
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
