// How an order is kept: see `ManagedObjectModel.orderAttribute(of:)`.
extension ManagedObject {
    /// The order of an ordered relationship: as it was found last, unless something has changed it since.
    ///
    /// - Parameter key: The object that is about to get its place, or to lose it.
    final func order(of property: ResolvedProperty, placing key: ObjectKey? = nil) throws -> MemberOrder {
        if let order = knownOrder(of: property, placing: key) { return order }
        _ = try readOrder(of: property)
        guard let order = collections[property.slot]?.order else { throw goneError(reading: property.name) }
        return order
    }

    /// The order of an ordered relationship, where it is known.
    final func knownOrder(of property: ResolvedProperty, placing key: ObjectKey? = nil) -> MemberOrder? {
        guard let order = collections[property.slot]?.order else { return nil }
        return order.epoch == context.unsaved.orderEpoch && order.isSettled(but: key) ? order : nil
    }

    /// Reads the members of an ordered relationship in their order, and remembers that.
    final func readOrder(of property: ResolvedProperty) throws -> [ManagedObject] {
        guard let relationship = property.relationship, let slot = relationship.orderSlot else { return [] }
        // A known order whose list is not in the row may be replaced now.
        try writeOrders()
        let epoch = context.unsaved.orderEpoch
        let members = try visibleMembers(of: property, relationship, inOrder: true)
        if relationship.storage == .inverseColumn {
            let ordered = try ranked(members, slot)
            collections[property.slot]?.order = MemberOrder(ranked: ordered.map(\.key), epoch: epoch)
            return ordered
        }
        let list = try KeyList(value(ofColumn: slot)).keys
        let places = Dictionary(list.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        let ordered = members.sorted { (places[$0.key] ?? .max, $0.key) < (places[$1.key] ?? .max, $1.key) }
        collections[property.slot]?.order = MemberOrder(listed: ordered.map(\.key), list: list, epoch: epoch)
        return ordered
    }

    /// The members of a known order.
    final func members(in order: MemberOrder, of destination: ResolvedEntity) throws -> [ManagedObject] {
        let keys = order.keys.keys
        let members = try context.existing(keys, of: destination, inOrder: false)
        // Those that had to be loaded come last.
        if members.count == keys.count, zip(members, keys).allSatisfy({ $0.key == $1 }) { return members }
        let places = Dictionary(uniqueKeysWithValues: keys.enumerated().map { ($1, $0) })
        return members.sorted { (places[$0.key] ?? .max) < (places[$1.key] ?? .max) }
    }

    /// Members by rank; those without one come last, by key.
    private func ranked(_ members: [ManagedObject], _ slot: Int) throws -> [ManagedObject] {
        let ranked = try members.map { (object: $0, rank: Rank(try $0.value(ofColumn: slot))) }
        let isSorted = zip(ranked, ranked.dropFirst()).allSatisfy { left, right in
            left.rank.flatMap { left in right.rank.map { left < $0 } } ?? false
        }
        if isSorted { return members }
        return ranked.sorted { left, right in
            switch (left.rank, right.rank) {
            case (let a?, let b?) where a != b: a < b
            case (nil, _?): false
            case (_?, nil): true
            default: left.object.key < right.object.key
            }
        }.map(\.object)
    }
}

// Lists of keys, which rows get late.
extension ManagedObject {
    /// Notes that the order of a list has changed. The row has a new list at once, so that the object is a changed one;
    /// further changes are written when the row is looked at.
    final func noteListChange(of order: MemberOrder, _ slot: Int) throws {
        guard edits?.has(slot) == true else { return try setColumn(slot, to: KeyList(order.list).value) }
        if order.isUnwritten { return }
        order.isUnwritten = true
        hasUnwrittenOrders = true
        context.unsaved.noteUnwrittenOrders(of: self)
    }

    /// Writes lists into the row that it does not have yet.
    final func writeOrders() throws {
        guard hasUnwrittenOrders else { return }
        hasUnwrittenOrders = false
        guard state != .vanished else { return }
        for (slot, members) in collections {
            guard let order = members.order, order.isUnwritten,
                let column = entity.properties[slot].relationship?.orderSlot
            else { continue }
            order.isUnwritten = false
            try setColumn(column, to: KeyList(order.list).value)
        }
    }
}

extension ManagedObjectContext {
    /// Has rows show the orders of lists. What cannot be written is thrown by the next request.
    func writeOrders() {
        for object in unsaved.takeUnwrittenOrders() { reporting(()) { try object.writeOrders() } }
    }

    /// Has orders read anew when they are next used: places were changed otherwise than by putting objects into them.
    func forgetOrders() {
        writeOrders()
        unsaved.forgetOrders()
    }
}
