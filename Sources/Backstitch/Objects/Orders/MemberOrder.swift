/// The order of an ordered relationship with loaded members. With it, a change of one place needs no look at all other
/// members.
///
/// If ranks keep the order (one-to-many), it only serves to find neighbours. If the owner's row keeps a list of keys
/// (many-to-many), the list is made from this order. It is made when the row is needed, not at each change.
final class MemberOrder {
    /// Visible members, in order.
    let keys: KeySequence
    /// Whether ranks keep the order.
    let isRanked: Bool
    /// The context's count of orders replaced from elsewhere, at the time this order was read.
    let epoch: Int
    /// Keys of the list without a visible member, each with the key before it. Their objects have not arrived yet, or
    /// are about to be deleted. They keep their places.
    // As in KeySequence, these parts are not checked for exclusive access.
    @exclusivity(unchecked) private(set) var absent: [(key: ObjectKey, after: ObjectKey?)]
    /// Members without a place in the list.
    @exclusivity(unchecked) private var unplaced: Set<ObjectKey>
    /// Links that were made or removed without the knowledge of the order.
    @exclusivity(unchecked) private var unsettled = UnsettledKeys()
    /// Whether the owner's row still has another list.
    var isUnwritten = false
    /// The rank that was last given to a member at the end. The next member is put behind it without another read. Nil
    /// once ranks may have changed in another way.
    @exclusivity(unchecked) private var endRank: (key: ObjectKey, rank: Rank)?

    /// Creates an order by rank.
    init(ranked keys: [ObjectKey], epoch: Int) {
        self.keys = KeySequence(keys)
        self.epoch = epoch
        isRanked = true
        absent = []
        unplaced = []
    }

    /// Creates the order of a list.
    ///
    /// - Parameter members: Visible members, in order.
    init(listed members: [ObjectKey], list: [ObjectKey], epoch: Int) {
        keys = KeySequence(members)
        self.epoch = epoch
        isRanked = false
        absent = []
        unplaced = []
        if members == list { return }
        let visible = Set(members)
        unplaced = visible.subtracting(list)
        var last: ObjectKey?
        for key in list {
            if visible.contains(key) { last = key } else { absent.append((key, last)) }
        }
    }

    /// Creates an order that was changed as a whole. Keys without a visible member keep their places.
    ///
    /// - Parameter list: The list before the change.
    convenience init(arranged members: [ObjectKey], list: [ObjectKey], epoch: Int) {
        self.init(listed: members, list: list, epoch: epoch)
        unplaced = []
    }

    /// Whether the order knows of all changed links. The link of `key` is left out, because its object is now to be
    /// placed or removed.
    func isSettled(but key: ObjectKey?) -> Bool { unsettled.isEmpty(but: key) }

    /// Notes that a link was made; ``place(_:at:)`` is to follow.
    ///
    /// - Parameter isNew: Whether its object was no member before.
    func noteLink(_ key: ObjectKey, isNew: Bool) { unsettled.toggle(key, isNew: isNew) }

    /// Notes that a link was removed; ``remove(_:)`` is to follow. With ranks it need not follow, because ranks belong
    /// to the member.
    func noteUnlink(_ key: ObjectKey) {
        if isRanked, unsettled.isEmpty { keys.remove(key) } else { unsettled.toggle(key, isNew: false) }
    }

    /// Notes that a changed link needs no change of places. It was made for a member with a place, or removed from one
    /// without a place.
    func settle(_ key: ObjectKey) { unsettled.remove(key) }

    /// Whether a member has a place in the list already.
    func isPlaced(_ key: ObjectKey) -> Bool {
        !unsettled.isNew(key) && keys.contains(key) && !unplaced.contains(key)
    }

    /// Whether a key without a visible member has a place in the list.
    func isAbsent(_ key: ObjectKey) -> Bool { absent.contains { $0.key == key } }

    /// Puts a member before the one at `index` of the others, or at the end.
    func place(_ key: ObjectKey, at index: Int) {
        unsettled.remove(key)
        unplaced.remove(key)
        keys.remove(key)
        keys.insert(key, at: index)
    }

    /// Puts a member at the end.
    func append(_ key: ObjectKey) {
        let isNew = unsettled.isNew(key)
        unsettled.remove(key)
        if !isNew {
            unplaced.remove(key)
            if keys.last == key { return }
            keys.remove(key)
        }
        keys.append(key)
    }

    /// The rank of the last member but one, if it is known.
    var rankBeforeLast: Rank? {
        guard let endRank, keys.count > 1, keys[keys.count - 2] == endRank.key else { return nil }
        return endRank.rank
    }

    /// Notes the rank of the last member.
    func noteRank(_ rank: Rank, ofLast key: ObjectKey) { endRank = (key, rank) }

    /// Forgets the noted rank, because members were given other ranks.
    func forgetRanks() { endRank = nil }

    /// Removes a key from the order.
    ///
    /// - Returns: Whether it had a place.
    func remove(_ key: ObjectKey) -> Bool {
        unsettled.remove(key)
        if !unplaced.isEmpty { unplaced.remove(key) }
        let (count, wasIn) = (absent.count, keys.remove(key))
        if count > 0 { absent.removeAll { $0.key == key } }
        return wasIn || absent.count < count
    }

    /// All keys with places, in order.
    var list: [ObjectKey] {
        let present = keys.keys
        if absent.isEmpty { return present }
        var followers: [ObjectKey?: [ObjectKey]] = [:]
        for (key, after) in absent { followers[after, default: []].append(key) }
        var list = followers.removeValue(forKey: nil) ?? []
        for key in present {
            list.append(key)
            list += followers.removeValue(forKey: key) ?? []
        }
        // The members before these keys have gone.
        return list + absent.compactMap { $0.after.flatMap { followers[$0] } == nil ? nil : $0.key }
    }
}
