/// Checks the invariants of a context and of its objects.
struct InvariantChecker {
    private let context: ManagedObjectContext
    private let objects: [ManagedObject]
    private(set) var broken = BrokenInvariants()

    init(_ context: ManagedObjectContext) {
        self.context = context
        objects = context.identityMap.objects
    }

    private mutating func require(_ condition: Bool, _ message: @autoclosure () -> String) {
        broken.require(condition, message())
    }

    mutating func checkParts() {
        broken.add(context.identityMap._checkInvariants())
        broken.add(context.unsaved._checkInvariants())
        broken.add(context.notifier._checkInvariants())
    }

    /// Checks that the context holds every object with unsaved changes.
    mutating func checkObjects() {
        let unsaved = context.unsaved
        for object in objects {
            require(object.context === context, "\(object.objectID) is registered, but belongs to another context")
            let isHeld = unsaved.isListed(object) || unsaved.deleted[object.key] === object
            require(!object.hasChanges || isHeld, "\(object.objectID) has changes, but the context does not hold it")
            require(object.isNew == unsaved.isInserted(object), "\(object.objectID) is new, or not")
        }
    }

    mutating func checkEdits() {
        for object in objects {
            guard let edits = object.edits else {
                require(!object.isNew, "\(object.objectID) is new and has no values")
                continue
            }
            if object.isNew {
                require(
                    edits.changed.slots.count == object.entity.columnCount, "\(object.objectID) is new and lacks values"
                )
            } else if let snapshot = object.snapshot {
                for slot in edits.changed.slots where snapshot.batch.value(snapshot.row, slot) == edits[slot] {
                    require(false, "\(object.objectID).\(object.entity.properties[slot].name) is edited to what it is")
                }
            }
        }
    }

    /// Checks that loaded collections show unsaved links.
    mutating func checkDeltas() {
        for (end, delta) in context.unsaved.links.deltas {
            guard let object = context.registeredObject(end.key), let members = object.collections[end.slot]?.keys
            else {
                continue
            }
            let name = object.entity.properties[end.slot].name
            for key in delta.added {
                require(members.contains(key), "\(object.objectID).\(name) lacks a link that was added")
            }
        }
    }

    /// Checks that both ends of a link agree, as far as they are in memory.
    mutating func checkInverses() {
        for object in objects where object.state == .persistent || object.state == .inserted {
            for property in object.entity.relationships {
                guard let relationship = property.relationship else { continue }
                let inverse = context.model.inverse(of: relationship)
                if relationship.storage == .column {
                    checkColumn(property, relationship, inverse, of: object)
                } else if let members = object.collections[property.slot]?.keys {
                    checkMembers(members, property, inverse, of: object)
                }
            }
        }
    }

    /// Checks that each known order has all visible members, once each.
    mutating func checkOrders() {
        for object in objects where object.state == .persistent || object.state == .inserted {
            for property in object.entity.relationships {
                guard let members = object.collections[property.slot]?.keys, let order = object.knownOrder(of: property)
                else { continue }
                let name = "\(object.objectID).\(property.name)"
                let keys = order.keys.keys
                require(keys.count == order.keys.count, "the order of \(name) counts \(order.keys.count) members")
                let shown = members.filter {
                    !context.unsaved.hides($0) && context.registeredObject($0)?.isFault == false
                }
                require(Set(keys).count == keys.count, "the order of \(name) has members twice")
                require(shown.isSubset(of: keys), "the order of \(name) lacks members")
                require(members.isSuperset(of: keys), "the order of \(name) has more than the members")
                require(
                    object.hasUnwrittenOrders || !order.isUnwritten, "the order of \(name) would not be written")
                if order.isRanked { checkRanks(keys, property, name) }
            }
        }
    }

    private mutating func checkRanks(_ keys: [ObjectKey], _ property: ResolvedProperty, _ name: String) {
        guard let slot = property.relationship?.orderSlot else { return }
        let ranks = keys.compactMap { context.registeredObject($0) }.filter { !$0.isFault }
            .compactMap { Rank($0.currentValue(ofColumn: slot)) }
        require(zip(ranks, ranks.dropFirst()).allSatisfy(<=), "ranks of \(name) do not rise")
    }

    private mutating func checkColumn(
        _ property: ResolvedProperty, _ relationship: ResolvedRelationship, _ inverse: ResolvedProperty,
        of object: ManagedObject
    ) {
        guard !object.isFault, case .object(let id) = object.currentValue(ofColumn: property.slot),
            let target = context.registeredObject(id.key), target.state != .deleted,
            let members = target.collections[inverse.slot]?.keys
        else { return }
        require(
            members.contains(object.key), "\(object.objectID).\(property.name) is \(id), whose \(inverse.name) lacks it"
        )
    }

    private mutating func checkMembers(
        _ members: Set<ObjectKey>, _ property: ResolvedProperty, _ inverse: ResolvedProperty, of object: ManagedObject
    ) {
        for key in members {
            guard let member = context.registeredObject(key), member.state != .deleted, !member.isFault else {
                continue
            }
            if inverse.relationship?.storage == .column {
                require(
                    member.currentValue(ofColumn: inverse.slot) == .object(object.objectID),
                    "\(object.objectID).\(property.name) has \(member.objectID), whose \(inverse.name) is otherwise")
            } else if let back = member.collections[inverse.slot]?.keys {
                require(
                    back.contains(object.key),
                    "\(object.objectID).\(property.name) has \(member.objectID), whose \(inverse.name) lacks it")
            }
        }
    }
}
