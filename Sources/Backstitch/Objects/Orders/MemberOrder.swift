/// The order of an ordered relationship whose members are loaded, so that a change of one place needs no look at all
/// others.
///
/// Where ranks keep the order (one-to-many), it is only a way to find neighbours. Where the owner's row keeps a list of
/// keys (many-to-many), the list is made of it when the row is looked at: not for each change.
final class MemberOrder {
    /// Visible members, in order.
    let keys: KeySequence
    /// Whether ranks keep the order.
    let isRanked: Bool
    /// The context's count of orders that were replaced from elsewhere, when this one was read.
    let epoch: Int
    /// Keys of the list that are no visible member, each with the one that it comes after: objects that have not
    /// arrived yet, or are about to be deleted. They keep their places.
    private(set) var absent: [(key: ObjectKey, after: ObjectKey?)]
    /// Members without a place in the list.
    private var unplaced: Set<ObjectKey>
    /// Links that were made or taken away, and the order does not know of.
    private var unsettled = UnsettledKeys()
    /// Whether the owner's row has another list.
    var isUnwritten = false
    /// The rank that was given last to a member at the end, so that the next one is put behind it without a look at
    /// that; nil once ranks may have changed otherwise.
    private var endRank: (key: ObjectKey, rank: Rank)?

    /// The order by rank.
    init(ranked keys: [ObjectKey], epoch: Int) {
        self.keys = KeySequence(keys)
        self.epoch = epoch
        isRanked = true
        absent = []
        unplaced = []
    }

    /// The order of a list.
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

    /// An order that was changed as a whole, whose other keys keep their places.
    ///
    /// - Parameter list: The list before.
    convenience init(arranged members: [ObjectKey], list: [ObjectKey], epoch: Int) {
        self.init(listed: members, list: list, epoch: epoch)
        unplaced = []
    }

    /// Whether it knows of all links that were changed, but for that of the object which is now to be placed or taken
    /// out.
    func isSettled(but key: ObjectKey?) -> Bool { unsettled.isEmpty(but: key) }

    /// A link was made; ``place(_:at:)`` is to follow.
    ///
    /// - Parameter isNew: Whether its object was no member before.
    func noteLink(_ key: ObjectKey, isNew: Bool) { unsettled.toggle(key, isNew: isNew) }

    /// A link was taken away; ``remove(_:)`` is to follow, but for ranks, which are the member's.
    func noteUnlink(_ key: ObjectKey) {
        if isRanked, unsettled.isEmpty { keys.remove(key) } else { unsettled.toggle(key, isNew: false) }
    }

    /// A link was made of a member that has a place already, or taken away of one that has none.
    func settle(_ key: ObjectKey) { unsettled.remove(key) }

    /// Whether a member has a place in the list already.
    func isPlaced(_ key: ObjectKey) -> Bool {
        !unsettled.isNew(key) && keys.contains(key) && !unplaced.contains(key)
    }

    /// Whether a key that is no visible member has a place in the list.
    func isAbsent(_ key: ObjectKey) -> Bool { absent.contains { $0.key == key } }

    /// Puts a member before that at an index of the others, or behind all.
    func place(_ key: ObjectKey, at index: Int) {
        unsettled.remove(key)
        unplaced.remove(key)
        keys.remove(key)
        keys.insert(key, at: index)
    }

    /// Puts a member behind all.
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

    /// The rank of the last member but one, where it is known.
    var rankBeforeLast: Rank? {
        guard let endRank, keys.count > 1, keys[keys.count - 2] == endRank.key else { return nil }
        return endRank.rank
    }

    /// Notes the rank that the last member was given.
    func noteRank(_ rank: Rank, ofLast key: ObjectKey) { endRank = (key, rank) }

    /// Notes that members were given other ranks.
    func forgetRanks() { endRank = nil }

    /// Takes a key out.
    ///
    /// - Returns: Whether it had a place.
    func remove(_ key: ObjectKey) -> Bool {
        unsettled.remove(key)
        if !unplaced.isEmpty { unplaced.remove(key) }
        let (count, wasIn) = (absent.count, keys.remove(key))
        if count > 0 { absent.removeAll { $0.key == key } }
        return wasIn || absent.count < count
    }

    /// All keys that have places, in order.
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
        // The members that these came after have gone.
        return list + absent.compactMap { $0.after.flatMap { followers[$0] } == nil ? nil : $0.key }
    }
}
