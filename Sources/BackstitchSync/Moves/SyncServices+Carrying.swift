import Backstitch
import BackstitchSupport
import CloudWire

// This device's own moves. An object stays in its zone until the server has its record in the other zone, and not in
// the former one. An answer that another device has changed one of the two records settles nothing: the feeds tell.
extension SyncServices {
    /// The results of one pass over the wanted moves.
    struct CarriedMoves: Sendable {
        var applied = AppliedChanges()
        /// The zones that now have something to send.
        var unsent: Set<Int64> = []
        var hasMoved = false
        /// Whether zones must be read before the rest can go on.
        var needsReading = false
        var wait: Int64?
    }

    /// Moves objects to the zones that they are to be in, as far as possible now.
    func carryMoves() async throws -> CarriedMoves {
        var carried = CarriedMoves()
        guard settings.mayMove, !client.options.isReadOnly else { return carried }
        for route in try await onWholeStore({ store in try store.readJournal { try $0.routes() } }) {
            guard let target = try await services(of: route.to), let source = try await services(of: route.from) else {
                continue
            }
            try await target.carry(route.keys, from: source, &carried)
        }
        return carried
    }

    /// The most objects that are moved before the next ones are looked at.
    private static let stretch = 200

    /// Moves objects to this zone, some at a time. On a server without requests for several zones, each of them takes
    /// both steps before the next ones begin: other devices finish a move that rests for a minute.
    private func carry(
        _ keys: [ObjectKey], from source: SyncServices, _ carried: inout CarriedMoves
    ) async throws {
        await settings.ring?.askForCurrent()
        let isWhole = client.hasExtensions && client.limits.operations > 1
        var most = max(min(isWhole ? client.limits.operations / 2 : client.limits.operations, Self.stretch), 1)
        for part in keys.parts(of: most) {
            guard try await carry(Array(part), from: source, isWhole: isWhole, &most, &carried) else { return }
        }
    }

    /// Moves some objects, batch by batch.
    ///
    /// - Parameter most: The most objects in a request.
    /// - Returns: Whether others can go on.
    private func carry(
        _ keys: [ObjectKey], from source: SyncServices, isWhole: Bool, _ most: inout Int,
        _ carried: inout CarriedMoves
    ) async throws -> Bool {
        var tried: [MoveStep: Set<ObjectKey>] = [:]
        while let batch = try await chooseMoves(of: keys, from: source, isWhole: isWhole, most: most, tried) {
            tried[batch.step, default: []].formUnion(batch.chosen)
            carried.applied.blocked += batch.blocked
            guard !batch.items.isEmpty else { continue }
            do {
                let freed: Set<ObjectKey>
                switch batch.step {
                case .whole: freed = try await move(batch, &carried)
                case .copy: freed = try await copy(batch, &carried)
                case .leave: freed = try await leave(batch, source, &carried)
                }
                tried[batch.step]?.subtract(freed)
            } catch let failure as SyncFailure where failure.kind == .batchRefused {
                if batch.step == .leave { try await noteStaying(batch.items.map { ($0, .untouched) }) }
                // A server may accept fewer at once than it says.
                most = max(batch.items.count / 2, 1)
                if batch.items.count > 1 {
                    tried[batch.step]?.subtract(batch.items.map(\.entry.objectID.key))
                } else {
                    try await take(batch.items.map { ($0, .refused(reason: failure.error.message)) }, &carried)
                }
            } catch let failure as SyncFailure where failure.kind == .zoneNotFound || failure.kind == .tokenRefused {
                if batch.step == .leave { try await noteStaying(batch.items.map { ($0, .untouched) }) }
                // The next pull of the zones finds out about it.
                carried.needsReading = true
                return false
            }
        }
        return true
    }

    private func chooseMoves(
        of keys: [ObjectKey], from source: SyncServices, isWhole: Bool, most: Int, _ tried: [MoveStep: Set<ObjectKey>]
    ) async throws -> MoveBatch? {
        let choice = MoveChoice(
            builder: batchBuilder, keys: keys, former: source.settings.zoneNumber, formerPlace: source.client.zone,
            isWhole: isWhole, most: most, tried: tried)
        return try await askingForKeys {
            try await onWholeStore { store in
                let batch = try settings.generation.write(to: store, isStep: false) { try choice.next(in: $0) }
                // After a power cut the store must still know what may have arrived.
                if batch != nil { try store.makeDurable() }
                return batch
            }
        }
    }

    /// Moves objects by one request.
    ///
    /// - Returns: The objects that the server has not looked at, because of another one that is blocked now.
    private func move(_ batch: MoveBatch, _ carried: inout CarriedMoves) async throws -> Set<ObjectKey> {
        let key = batchBuilder.idempotencyKey(of: batch.items, batch.token)
        let reply = try await send(PushBatch(items: batch.items, idempotencyKey: key, token: batch.token))
        let done = zip(batch.items, reply.answers).filter { $1.isDone }
        try await acknowledge(done.map(\.0), done.map(\.1), reply.anchor, &carried)
        return try await take(zip(batch.items, reply.answers).filter { !$1.isDone }, &carried)
    }

    /// Acknowledges objects that are in this zone now.
    private func acknowledge(
        _ items: [PushItem], _ answers: [PushReply.Answer], _ anchor: ZoneAnchor?, _ carried: inout CarriedMoves
    ) async throws {
        guard !items.isEmpty else { return }
        var reply = PushReply(answers: answers)
        reply.anchor = anchor
        let settler = BatchSettler(settings: currentSettings, clock: clock, time: time)
        let settled = try await onStore { [reply] store in
            try settler.settle(PushBatch(items: items, idempotencyKey: nil), reply, in: store)
        }
        bell.ring()
        carried.applied.add(settled.news)
        carried.hasMoved = true
        if !settled.changed.isEmpty { carried.unsent.insert(settings.zoneNumber) }
    }

    /// Makes copies of records in this zone, or makes them anew.
    private func copy(_ batch: MoveBatch, _ carried: inout CarriedMoves) async throws -> Set<ObjectKey> {
        var items = batch.items
        for index in items.indices { items[index].departure = nil }
        let reply = try await send(PushBatch(items: items, idempotencyKey: nil, token: batch.token))
        try await onWholeStore { [settings] store in
            try settings.generation.write(to: store, isStep: false) { journal in
                for (item, answer) in zip(batch.items, reply.answers) {
                    guard let departure = item.departure else { continue }
                    let subject = ZonedKey(zone: departure.zone, key: item.entry.objectID.key)
                    guard var note = try journal.move(of: subject), var wanted = note.wanted else { continue }
                    switch answer {
                    case .done(let tag?):
                        wanted.copy = MovedCopy(
                            zone: settings.zoneNumber, tag: tag, sequence: item.entry.sequence, source: departure.tag)
                        if wanted.to != settings.zoneNumber, let copy = wanted.copy {
                            // The program has changed its mind meanwhile.
                            try journal.leave(copy, of: item.entry.objectID)
                            wanted.copy = nil
                        }
                    // Another device has changed or deleted the copy. The feed tells.
                    case .conflict, .moved: wanted.copy = nil
                    case .done(nil), .refused, .held, .unauthorized, .denied, .later, .parentless, .untouched: continue
                    }
                    note.state = .wanted(wanted)
                    try journal.setMove(of: subject, to: note)
                }
            }
        }
        return try await take(zip(batch.items, reply.answers).filter { !$1.isDone }, &carried)
    }

    /// Deletes records in the former zone, whose copies are in this one.
    private func leave(
        _ batch: MoveBatch, _ source: SyncServices, _ carried: inout CarriedMoves
    ) async throws -> Set<ObjectKey> {
        let movedTo = client.hasExtensions ? client.zone.zoneName : nil
        let deletions = batch.items.compactMap { item in
            item.departure.map { departure in
                var item = item
                item.operation = departure.operation(to: movedTo)
                item.departure = nil
                return item
            }
        }
        let reply = try await source.sendUnmoved(
            PushBatch(items: deletions, idempotencyKey: nil, token: try await source.zoneToken()))
        var done: [PushItem] = [], tags: [PushReply.Answer] = [], others: [(PushItem, PushReply.Answer)] = []
        var lost: [PushItem] = [], doubtful: [PushItem] = []
        for (item, answer) in zip(batch.items, reply.answers) {
            guard answer.isDone, let copy = item.copy else {
                others.append((item, answer))
                continue
            }
            let isLost = reply.deletedBefore.contains(item.entry.objectID.key)
            if isLost, !copy.mayHaveLeft {
                lost.append(item)
                continue
            }
            if isLost { doubtful.append(item) }
            done.append(item)
            tags.append(.done(changeTag: copy.tag))
        }
        try await acknowledge(done, tags, nil, &carried)
        // Another device may have deleted the object just before.
        carried.applied.conflicts += doubtful.map {
            SyncConflict(objectID: $0.entry.objectID, kind: .editedHereDeletedThere, keys: [], winner: .client)
        }
        if !lost.isEmpty { try await giveUp(lost, &carried) }
        try await noteStaying(others)
        return try await take(others, &carried)
    }

    /// Notes that records are still in the former zone, as far as the answers tell.
    private func noteStaying(_ answers: [(PushItem, PushReply.Answer)]) async throws {
        guard !answers.isEmpty else { return }
        try await onWholeStore { [settings] store in
            try settings.generation.write(to: store, isStep: false) { journal in
                for (item, answer) in answers {
                    guard let departure = item.departure else { continue }
                    let subject = ZonedKey(zone: departure.zone, key: item.entry.objectID.key)
                    guard var note = try journal.move(of: subject), var wanted = note.wanted else { continue }
                    // An earlier request may have been taken, unless the server has the record.
                    if case .conflict = answer {
                        wanted.copy?.mayHaveLeft = false
                    } else {
                        wanted.copy?.mayHaveLeft = item.copy?.mayHaveLeft ?? false
                    }
                    note.state = .wanted(wanted)
                    try journal.setMove(of: subject, to: note)
                }
            }
        }
    }

    /// Gives up moves of objects whose records have disappeared from their former zone before: another device has
    /// deleted them, or has finished the move. The copies are deleted, unless that device has changed them.
    private func giveUp(_ items: [PushItem], _ carried: inout CarriedMoves) async throws {
        try await onWholeStore { [settings] store in
            try settings.generation.write(to: store, isStep: false) { journal in
                for item in items {
                    guard let departure = item.departure, let copy = item.copy else { continue }
                    let id = item.entry.objectID
                    try journal.leave(copy, of: id)
                    try journal.setMove(
                        of: ZonedKey(zone: departure.zone, key: id.key),
                        to: MoveNote(entityName: id.entityName, state: .gone(GoneRecord())))
                }
            }
        }
        for item in items { if let departure = item.departure { reading.lacksNews(ofZone: departure.zone) } }
        carried.needsReading = true
    }

    /// Takes the answers to moves that the server has not taken.
    ///
    /// - Returns: The objects that the server has not looked at, because of another one that is blocked now.
    @discardableResult
    private func take(
        _ answers: [(PushItem, PushReply.Answer)], _ carried: inout CarriedMoves
    ) async throws -> Set<ObjectKey> {
        var refused: [(PushItem, String, isOfToken: Bool)] = [], untouched: Set<ObjectKey> = []
        for (item, answer) in answers {
            switch answer {
            case .conflict, .moved:
                if let departure = item.departure { reading.lacksNews(ofZone: departure.zone) }
                reading.lacksNews(ofZone: settings.zoneNumber)
                carried.needsReading = true
            case .refused(let reason): refused.append((item, reason, false))
            case .unauthorized(let reason), .denied(let reason, _): refused.append((item, reason, true))
            case .later(let wait): carried.wait = max(wait ?? 0, carried.wait ?? 0)
            case .untouched: untouched.insert(item.entry.objectID.key)
            case .done, .held, .parentless: break
            }
        }
        guard !refused.isEmpty else { return [] }
        let blocked = try await onWholeStore { [settings, refused] store in
            try settings.generation.write(to: store, isStep: false) { journal in
                try refused.compactMap { item, reason, isOfToken -> BlockedChange? in
                    guard let departure = item.departure else { return nil }
                    return try journal.block(item.entry, reason, isOfToken: isOfToken, inZone: departure.zone)
                }
            }
        }
        carried.applied.blocked += blocked
        return blocked.isEmpty ? [] : untouched
    }
}

extension PushReply.Answer {
    fileprivate var isDone: Bool { if case .done = self { true } else { false } }
}
