// The storage of an order: see `ManagedObjectModel.orderAttribute(of:)`.
extension ManagedObject {
    /// Returns the order of an ordered relationship. It is read only if it is not known, or something has changed it
    /// since.
    ///
    /// - Parameter key: The object that is about to get its place, or to lose it.
    final func order(of property: ResolvedProperty, placing key: ObjectKey? = nil) throws -> MemberOrder {
        if let order = knownOrder(of: property, placing: key) { return order }
        _ = try readOrder(of: property)
        guard let order = collections[property.slot]?.order else { throw goneError(reading: property.name) }
        return order
    }

    /// Returns the order of an ordered relationship, if it is known and up to date.
    final func knownOrder(of property: ResolvedProperty, placing key: ObjectKey? = nil) -> MemberOrder? {
        guard let order = collections[property.slot]?.order else { return nil }
        return order.epoch == context.unsaved.orderEpoch && order.isSettled(but: key) ? order : nil
    }

    /// Reads the members of an ordered relationship in their order, and remembers the order.
    final func readOrder(of property: ResolvedProperty) throws -> [ManagedObject] {
        guard let relationship = property.relationship, let slot = relationship.orderSlot else { return [] }
        // A known order whose list is not in the row may be replaced below, so it is written first.
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

    /// Returns the members of a known order.
    final func members(in order: MemberOrder, of destination: ResolvedEntity) throws -> [ManagedObject] {
        let keys = order.keys.keys
        let members = try context.existing(keys, of: destination, inOrder: false)
        // Members that had to be loaded come last.
        if members.count == keys.count, zip(members, keys).allSatisfy({ $0.key == $1 }) { return members }
        let places = Dictionary(uniqueKeysWithValues: keys.enumerated().map { ($1, $0) })
        return members.sorted { (places[$0.key] ?? .max) < (places[$1.key] ?? .max) }
    }

    /// Sorts members by rank. Members without a rank come last, by key.
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

// Lists of keys. They are written into rows late.
extension ManagedObject {
    /// Notes that the order of a list has changed. The first change sets the list in the row at once, so that the
    /// object counts as changed. Further changes are written when the row is needed.
    final func noteListChange(of order: MemberOrder, _ slot: Int) throws {
        guard edits?.has(slot) == true else { return try setColumn(slot, to: KeyList(order.list).value) }
        if order.isUnwritten { return }
        order.isUnwritten = true
        hasUnwrittenOrders = true
        context.unsaved.noteUnwrittenOrders(of: self)
    }

    /// Writes the lists that the row does not have yet.
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
    /// Writes the orders of lists into the rows. If one cannot be written, the next request throws the error.
    func writeOrders() {
        for object in unsaved.takeUnwrittenOrders() { reporting(()) { try object.writeOrders() } }
    }

    /// Makes known orders out of date, because places were changed in another way than by putting objects into them.
    /// Their next use reads them anew.
    func forgetOrders() {
        writeOrders()
        unsaved.forgetOrders()
    }
}
