import Backstitch

/// The result of merging two objects into one, as values. It does not write anything.
struct TwinFold {
    /// The object that stays, in its new state.
    var image: RecordImage
    /// The changed properties of this object, with their former values.
    var changes: [(property: ResolvedProperty, base: OutboxEntry.Base)] = []
    /// The properties with a lost value of the other object.
    var lostKeys: [String] = []

    /// One of the two objects.
    struct Twin {
        var id: ObjectID
        var entity: ResolvedEntity
        var image: RecordImage
    }

    /// Merges the values of one object into the other.
    ///
    /// - Parameters:
    ///   - decisive: Properties that decide whether an object is sent at all. They keep the winner's values.
    ///   - edits: The edited properties of the loser; only these count. Nil for all properties. Links count unless they
    ///     are in the edit's base.
    ///   - hasBytes: Whether the bytes of an asset are here, so that they can be sent with another record.
    init(
        _ loser: Twin, into winner: Twin, decisive: Set<String> = [], edits: [OutboxEntry.Field]? = nil,
        hasBytes: (AssetReference) -> Bool
    ) {
        image = winner.image
        let shared = Set(loser.entity.ownProperties.map(\.slot))
        let edited = edits.map { fields in
            Dictionary(fields.map { ($0.name, $0.base) }, uniquingKeysWith: { _, last in last })
        }
        for property in winner.entity.ownProperties where shared.contains(property.slot) {
            if property.slot < winner.entity.columnCount {
                let counts = edited.map { $0[property.name] != nil } ?? true
                takeValue(
                    of: property, loser, winner, counts: counts && !decisive.contains(property.name), hasBytes)
            } else if property.relationship?.storage == .ownedLinks {
                var known: Set<ObjectKey> = []
                if let edited {
                    guard case .links(let base)? = edited[property.name] else { continue }
                    known = Set(base)
                }
                takeLinks(of: property, loser, winner, except: known)
            }
        }
    }

    private mutating func takeValue(
        of property: ResolvedProperty, _ loser: Twin, _ winner: Twin, counts: Bool,
        _ hasBytes: (AssetReference) -> Bool
    ) {
        guard property.attribute?.derivation == nil else { return }
        let slot = property.slot, initial = winner.entity.defaults[slot]
        var mine = image.values[slot]
        // A link between the two has no target after the merge.
        if case .object(let id) = mine, id.key == loser.id.key { mine = .null }
        var theirs = counts ? loser.image.values[slot] : .null
        if case .object(let id) = theirs, id.key == winner.id.key || id.key == loser.id.key { theirs = .null }
        if case .asset(let reference) = theirs, mine.isNull, !hasBytes(reference) { theirs = .null }
        if !theirs.isNull, theirs != initial, theirs != mine {
            if mine == initial { mine = theirs } else { lostKeys.append(property.name) }
        }
        guard mine != image.values[slot] else { return }
        changes.append((property, .value(image.values[slot])))
        image.values[slot] = mine
    }

    private mutating func takeLinks(
        of property: ResolvedProperty, _ loser: Twin, _ winner: Twin, except known: Set<ObjectKey>
    ) {
        let before = image.links[property.slot] ?? []
        let theirs = Set(loser.image.links[property.slot] ?? []).subtracting(known)
        let after = Set(before).union(theirs).subtracting([loser.id.key]).subtracting(
            theirs.contains(winner.id.key) && !before.contains(winner.id.key) ? [winner.id.key] : []
        ).sorted()
        guard after != before else { return }
        changes.append((property, .links(before)))
        image.links[property.slot] = after
    }
}
