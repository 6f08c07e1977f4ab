extension ManagedObject {
    /// The objects of an ordered to-many relationship, in order. Setting it arranges them so, adds and removes what
    /// differs.
    public final subscript<Object: ManagedObject>(key: String, file: String = #fileID, line: Int = #line) -> [Object] {
        get { context.reporting([], reading: self) { try objects(forKey: key).map { try castMember($0, key) } } }
        set { context.reporting((), at: (file, line)) { try setObjects(newValue, forKey: key) } }
    }

    /// Puts `object` into an ordered to-many relationship before the object at `index`, or at the end when `index` is
    /// their number. One that is there already moves; `index` then counts the others only.
    ///
    /// An order is kept so that this changes one row: that of `object` (one-to-many), or of this object (many-to-many).
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` when the entity has no such ordered relationship, or `index`
    ///   is out of its bounds; what the store throws.
    /// - Complexity: O(members · log members).
    public final func insert(_ object: ManagedObject, into key: String, at index: Int) throws {
        let property = try orderedRelationship(key)
        try requireLinkable(object, property)
        var others = try destinations(of: property).filter { $0 !== object }
        try requireIndex(index, in: 0...others.count, key)
        try add(object, to: property)
        others.insert(object, at: index)
        try arrange(others, in: property)
    }

    /// Moves the object at `source` in an ordered to-many relationship, so that it is at `target` then.
    ///
    /// - Throws: As ``insert(_:into:at:)``.
    public final func moveObject(in key: String, from source: Int, to target: Int) throws {
        let members = try destinations(of: orderedRelationship(key))
        try requireIndex(source, in: 0...max(members.count - 1, 0), key)
        try requireIndex(target, in: 0...max(members.count - 1, 0), key)
        guard source < members.count else { throw outOfBounds(source, 0, key) }
        try insert(members[source], into: key, at: target)
    }

    /// Puts `object` in the place of the object at `index` of an ordered to-many relationship.
    ///
    /// - Throws: As ``insert(_:into:at:)``; also when `object` is at another place of the relationship.
    public final func replaceObject(in key: String, at index: Int, with object: ManagedObject) throws {
        var members = try destinations(of: orderedRelationship(key))
        guard members.indices.contains(index) else { throw outOfBounds(index, members.count - 1, key) }
        members[index] = object
        try setObjects(members, forKey: key)
    }

    /// Makes these, in this order, the objects of an ordered to-many relationship. Objects that keep their places among
    /// each other are not written.
    ///
    /// - Throws: As ``insert(_:into:at:)``; also when an object is there twice.
    public final func setObjects(_ objects: [ManagedObject], forKey key: String) throws {
        let property = try orderedRelationship(key)
        for object in objects { try requireLinkable(object, property) }
        let wanted = Set(objects)
        guard wanted.count == objects.count else {
            throw BackstitchError(
                .invalidValue, "\(entity.name).\(key) cannot have an object twice", objectID: objectID, key: key)
        }
        let present = try Set(destinations(of: property))
        for object in present.subtracting(wanted) { try remove(object, from: property) }
        for object in objects where !present.contains(object) { try add(object, to: property) }
        try arrange(objects, in: property)
    }

    private func orderedRelationship(_ key: String) throws -> ResolvedProperty {
        let property = try relationship(key, isToMany: true)
        guard property.relationship?.orderSlot != nil else {
            throw BackstitchError(
                .invalidRequest, "\(entity.name).\(key) is not ordered; describe it with ordered: true",
                objectID: objectID,
                key: key)
        }
        return property
    }

    private func requireIndex(_ index: Int, in bounds: ClosedRange<Int>, _ key: String) throws {
        if !bounds.contains(index) { throw outOfBounds(index, bounds.upperBound, key) }
    }

    private func outOfBounds(_ index: Int, _ last: Int, _ key: String) -> BackstitchError {
        BackstitchError(
            .invalidRequest, "\(entity.name).\(key) has no place \(index); the last is \(last)", objectID: objectID,
            key: key)
    }
}

// How an order is kept: see `ManagedObjectModel.orderAttribute(of:)`.
extension ManagedObject {
    /// Returns the members of an ordered relationship in their order. Members without a place yet come last, by key.
    final func ordered(_ members: [ManagedObject], by slot: Int, _ relationship: ResolvedRelationship) throws
        -> [ManagedObject]
    {
        if relationship.storage == .inverseColumn {
            let ranked = try members.map { (object: $0, rank: Rank(try $0.value(ofColumn: slot))) }
            return ranked.sorted { left, right in
                switch (left.rank, right.rank) {
                case (let a?, let b?) where a != b: a < b
                case (nil, _?): false
                case (_?, nil): true
                default: left.object.key < right.object.key
                }
            }.map(\.object)
        }
        let list = try KeyList(value(ofColumn: slot)).keys
        let places = Dictionary(list.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        return members.sorted { (places[$0.key] ?? .max, $0.key) < (places[$1.key] ?? .max, $1.key) }
    }

    /// Gives all members of an ordered relationship their places, and writes as few objects as possible.
    final func arrange(_ members: [ManagedObject], in property: ResolvedProperty) throws {
        guard let relationship = property.relationship, let slot = relationship.orderSlot else { return }
        guard relationship.storage == .inverseColumn else {
            return try setColumn(slot, to: KeyList(members.map(\.key)).value)
        }
        let ranks = try members.map { Rank(try $0.value(ofColumn: slot)) }
        let kept = ranks.longestRise()
        var upper: Rank?
        var uppers: [Rank?] = []
        for index in members.indices.reversed() {
            uppers.append(upper)
            if kept.contains(index) { upper = ranks[index] }
        }
        uppers.reverse()
        var lower: Rank?
        for (index, member) in members.enumerated() {
            if kept.contains(index) {
                lower = ranks[index]
                continue
            }
            guard let rank = Rank(after: lower, before: uppers[index]) else {
                throw BackstitchError(
                    .internalInconsistency, "no rank between \(String(describing: lower)) and its neighbour")
            }
            try member.setColumn(slot, to: .string(rank.text))
            lower = rank
        }
        context.unsaved.noteLastRank(lower, at: LinkEnd(self, property))
    }

    /// Puts a new member at the end of an ordered relationship.
    final func append(_ member: ManagedObject, to property: ResolvedProperty) throws {
        guard let relationship = property.relationship, let slot = relationship.orderSlot else { return }
        guard relationship.storage == .inverseColumn else {
            let list = try KeyList(value(ofColumn: slot)).keys
            return list.contains(member.key) ? () : try setColumn(slot, to: KeyList(list + [member.key]).value)
        }
        let end = LinkEnd(self, property)
        if context.unsaved.lastRank(at: end) == nil {
            let others = try destinations(of: property).filter { $0 !== member }
            if try others.contains(where: { Rank(try $0.value(ofColumn: slot)) == nil }) {
                try arrange(others, in: property)
            }
            let last = try others.last.flatMap { Rank(try $0.value(ofColumn: slot)) }
            context.unsaved.noteLastRank(last, at: end)
        }
        guard let rank = Rank(after: context.unsaved.lastRank(at: end), before: nil) else { return }
        try member.setColumn(slot, to: .string(rank.text))
        context.unsaved.noteLastRank(rank, at: end)
    }

    /// Takes the place of a removed member out of an order.
    final func forgetPlace(of member: ManagedObject, in property: ResolvedProperty) throws {
        guard let relationship = property.relationship, let slot = relationship.orderSlot else { return }
        if relationship.storage == .inverseColumn { return try member.setColumn(slot, to: .null) }
        let list = try KeyList(value(ofColumn: slot)).keys
        if list.contains(member.key) { try setColumn(slot, to: KeyList(list.filter { $0 != member.key }).value) }
    }
}

extension [Rank?] {
    /// Positions of a longest run of ranks that rise: what can stay as it is when the rest is moved.
    fileprivate func longestRise() -> Set<Int> {
        var tails: [Int] = []
        var before: [Int?] = Array<Int?>(repeating: nil, count: count)
        for (index, rank) in enumerated() {
            guard let rank else { continue }
            var low = 0, high = tails.count
            while low < high {
                let middle = (low + high) / 2
                if let other = self[tails[middle]], other < rank { low = middle + 1 } else { high = middle }
            }
            before[index] = low > 0 ? tails[low - 1] : nil
            if low == tails.count { tails.append(index) } else { tails[low] = index }
        }
        var positions: Set<Int> = []
        var next = tails.last
        while let index = next {
            positions.insert(index)
            next = before[index]
        }
        return positions
    }
}
