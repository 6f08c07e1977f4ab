// Giving objects their places in an order.
extension ManagedObject {
    /// Puts a member before the one at `index` of the others, or at the end. It writes as few objects as possible.
    final func place(_ member: ManagedObject, at index: Int, in property: ResolvedProperty) throws {
        guard let relationship = property.relationship, let slot = relationship.orderSlot else { return }
        let order = try order(of: property)
        if index < order.keys.count, order.keys[index] == member.key, order.isRanked || order.isPlaced(member.key) {
            return
        }
        order.place(member.key, at: index)
        guard order.isRanked else { return try noteListChange(of: order, slot) }
        try rank(member, at: index, order, property, slot)
    }

    /// Gives all members of an ordered relationship their places. It writes as few objects as possible.
    final func arrange(_ members: [ManagedObject], in property: ResolvedProperty) throws {
        guard let relationship = property.relationship, let slot = relationship.orderSlot else { return }
        let keys = members.map(\.key)
        guard relationship.storage == .inverseColumn else {
            let present = try order(of: property)
            if present.keys.keys == keys, keys.allSatisfy(present.isPlaced) { return }
            let order = MemberOrder(arranged: keys, list: present.list, epoch: present.epoch)
            collections[property.slot]?.order = order
            return try noteListChange(of: order, slot)
        }
        collections[property.slot]?.order?.forgetRanks()
        let ranks = try members.map { Rank(try $0.value(ofColumn: slot)) }
        for (index, rank) in try Rank.rearranged(ranks).enumerated() where rank != ranks[index] {
            try members[index].setColumn(slot, to: .string(rank.text))
        }
        if knownOrder(of: property)?.keys.keys != keys {
            collections[property.slot]?.order = MemberOrder(ranked: keys, epoch: context.unsaved.orderEpoch)
        }
    }

    /// Puts a new member at the end of an ordered relationship.
    final func append(_ member: ManagedObject, to property: ResolvedProperty) throws {
        guard let relationship = property.relationship, let slot = relationship.orderSlot else { return }
        guard relationship.storage == .inverseColumn else { return try list(member, in: property, slot) }
        let order = try order(of: property, placing: member.key)
        order.append(member.key)
        try rank(member, at: order.keys.count - 1, order, property, slot)
    }

    /// Removes the place of a removed member from an order.
    final func forgetPlace(of member: ManagedObject, in property: ResolvedProperty) throws {
        guard let relationship = property.relationship, let slot = relationship.orderSlot else { return }
        if relationship.storage == .inverseColumn { return try member.setColumn(slot, to: .null) }
        let known = knownOrder(of: property, placing: member.key)
        if known == nil, let list = try shortList(property, slot) {
            let rest = list.filter { $0 != member.key }
            return rest.count == list.count ? () : try setColumn(slot, to: KeyList(rest).value)
        }
        let order = try known ?? order(of: property, placing: member.key)
        if order.remove(member.key) { try noteListChange(of: order, slot) }
    }

    /// Returns the member at an index of an order.
    final func member(
        at index: Int, in order: MemberOrder, of property: ResolvedProperty
    ) throws -> ManagedObject {
        let key = order.keys[index]
        if let object = context.registeredObject(key), !object.isFault { return object }
        guard let relationship = property.relationship,
            let object = try context.existing([key], of: context.model.destination(of: relationship)).first
        else { throw goneError(reading: property.name) }
        return object
    }
}

// Lists.
extension ManagedObject {
    private func list(_ member: ManagedObject, in property: ResolvedProperty, _ slot: Int) throws {
        let known = knownOrder(of: property, placing: member.key)
        if known == nil, let list = try shortList(property, slot) {
            return list.contains(member.key) ? () : try setColumn(slot, to: KeyList(list + [member.key]).value)
        }
        let order = try known ?? order(of: property, placing: member.key)
        if order.isAbsent(member.key) {
            // Its place waits for it: the list, read anew, has it there.
            context.forgetOrders()
            return
        }
        if order.isPlaced(member.key) { return order.settle(member.key) }
        order.append(member.key)
        try noteListChange(of: order, slot)
    }

    /// Returns the list of keys as the row has it, if it is short. Writing a short list anew costs less than reading an
    /// order. It is called only if no order is known.
    private func shortList(_ property: ResolvedProperty, _ slot: Int) throws -> [ObjectKey]? {
        let value = try value(ofColumn: slot)
        guard KeyList.isShort(value) else { return nil }
        // The known order is out of date.
        collections[property.slot]?.order = nil
        return KeyList(value).keys
    }
}

// Ranks.
extension ManagedObject {
    /// Gives the member at an index of an order its rank.
    private func rank(
        _ member: ManagedObject, at index: Int, _ order: MemberOrder, _ property: ResolvedProperty, _ slot: Int
    ) throws {
        func neighbour(_ index: Int) throws -> Rank? {
            Rank(try self.member(at: index, in: order, of: property).value(ofColumn: slot))
        }
        let isLast = index == order.keys.count - 1
        let known = isLast ? order.rankBeforeLast : nil
        order.forgetRanks()
        let lower = try index > 0 ? known ?? neighbour(index - 1) : nil
        let upper = try isLast ? nil : neighbour(index + 1)
        // Neighbours without ranks, or with the same rank, mean that objects were put there elsewhere at the same time.
        guard (index == 0) == (lower == nil), isLast == (upper == nil), let rank = Rank(after: lower, before: upper)
        else { return try arrange(members(in: order, property), in: property) }
        if rank.isLong { return try spread(around: index, order, property, slot) }
        try member.setColumn(slot, to: .string(rank.text))
        if isLast { order.noteRank(rank, ofLast: member.key) }
    }

    /// Gives short ranks to members around an index, to as few members as possible.
    private func spread(
        around index: Int, _ order: MemberOrder, _ property: ResolvedProperty, _ slot: Int
    ) throws {
        var width = 64
        while true {
            let range = max(0, index - width)..<min(order.keys.count, index + width)
            if range.count == order.keys.count { break }
            func rank(_ index: Int) throws -> Rank? {
                Rank(try member(at: index, in: order, of: property).value(ofColumn: slot))
            }
            let lower = try range.lowerBound > 0 ? rank(range.lowerBound - 1) : nil
            let upper = try range.upperBound < order.keys.count ? rank(range.upperBound) : nil
            if let ranks = Rank.spread(range.count, after: lower, before: upper), ranks.allSatisfy(\.isShort) {
                for (index, rank) in zip(range, ranks) {
                    try member(at: index, in: order, of: property).setColumn(slot, to: .string(rank.text))
                }
                return
            }
            width *= 2
        }
        let members = try members(in: order, property)
        for (member, rank) in zip(members, Rank.spread(members.count, after: nil, before: nil) ?? []) {
            try member.setColumn(slot, to: .string(rank.text))
        }
    }

    private func members(in order: MemberOrder, _ property: ResolvedProperty) throws -> [ManagedObject] {
        guard let relationship = property.relationship else { return [] }
        return try members(in: order, of: context.model.destination(of: relationship))
    }
}
