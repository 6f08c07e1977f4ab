import Backstitch
import BackstitchServer
import BackstitchSupport
import BackstitchSync
import CloudWire

extension World {
    /// Records made by another program of the owner before the start: a shelf on a shelf, each with a book.
    private static let first: [(name: String, type: String, on: String?)] = [
        ("0190AAAA-0000-7000-8000-0000000000A1", "Shelf", nil),
        ("0190AAAA-0000-7000-8000-0000000000A2", "Shelf", "0190AAAA-0000-7000-8000-0000000000A1"),
        ("0190AAAA-0000-7000-8000-0000000000B1", "Book", "0190AAAA-0000-7000-8000-0000000000A1"),
        ("0190AAAA-0000-7000-8000-0000000000B2", "Book", "0190AAAA-0000-7000-8000-0000000000A2"),
    ]

    /// Shares a shelf, and lets all guests accept, before the work begins.
    func shareShelf(with guests: [String]) {
        administerAndWait { [self] server in
            let zone = ZonesModifyRequest(operations: [.init(.create, ZoneID(zoneName: SimulatedServer.zone))])
            try await self.server.post(try zone.wireJSON(), to: "zones/modify", of: server)
            let records = Self.first.map { name, type, place in
                var record = WireRecord(recordName: name, recordType: type)
                let above = place.map { WireReference(recordName: $0) }
                record.fields[type == "Shelf" ? "name" : "text"] = .string("first")
                if let above { record.fields[type == "Shelf" ? "parent" : "shelf"] = .reference(above) }
                record.parent = above
                return record
            }
            // A server may take few records at once. Parents go before their children.
            for part in records.parts(of: plan.plain?.operations ?? records.count) {
                _ = try await modify(part.map { RecordOperation(.create, $0) }, on: server)
            }
            for record in records {
                let key = RecordName.key(of: record.recordName, zone: SimulatedServer.zone).key
                let field = record.recordType == "Shelf" ? "name" : "text"
                _ = ledger.took(key, [field: "first"], isNew: true, by: "another program")
                if record.recordType == "Shelf" { sharing.objects.shelves.append(key) }
            }
            try await share(sharing.objects.shelves[1], .readWrite, administrator: nil, on: server)
            guard let share = sharing.objects.known.first else { return fail("no shelf could be shared") }
            for guest in guests { try await join(share, guest, on: server) }
        }
        if sharing.owner == nil { fail("no guest could accept the share") }
    }

    /// Changes the shares by chance. The owner shares a shelf, changes rights or ends a share; or a guest leaves one or
    /// all shares, or accepts one.
    func changeObjectShares(_ guest: String) {
        let choice = scheduler.pick(0...11), shelf = any(sharing.objects.shelves), share = any(sharing.objects.known)
        let permission: SharePermission = scheduler.chance(700) ? .readWrite : .readOnly
        let administrator = scheduler.chance(300) ? guest : nil
        let joins = scheduler.chance(800)
        server.administer { [self] server in
            switch (choice, share) {
            case (0...3, _), (_, nil):
                guard let shelf else { return }
                let made = try await self.share(shelf, permission, administrator: administrator, on: server)
                if joins, let made { try await join(made, guest, on: server) }
            case (4, let share?): try await end(share, by: nil, on: server)
            case (5...6, let share?): try await set(permission, share, on: server)
            case (7, let share?): try await end(share, by: guest, on: server)
            case (8, _): try await leaveAll(guest, on: server)
            case (_, let share?): try await join(share, guest, on: server)
            }
        }
    }

    /// Called when a push is sent to a server that refuses records without their parent. Another program of the owner
    /// may then delete a parent.
    func provoke(lossOfParentsIn batch: PushBatch) {
        guard plan.sharesObjects, plan.plain != nil, !isHealed, server.isRunning else { return }
        let names = Set(batch.items.map(\.operation.record.recordName))
        let parents = batch.items.compactMap { $0.operation.record.parent?.recordName }
        func key(_ name: String) -> ObjectKey { RecordName.key(of: name, zone: SimulatedServer.zone).key }
        let parent = parents.first { name in
            !names.contains(name) && sharing.objects.shelves.contains(key(name)) && ledger.zone(of: key(name)) == nil
        }
        guard let parent, scheduler.chance(60) else { return }
        trace.note("another program deletes shelf \(parent.suffix(4))")
        server.administer { [self] server in
            let record = WireRecord(recordName: parent)
            guard case .record? = try await modify([RecordOperation(.forceDelete, record)], on: server) else { return }
            situations.note("a parent was deleted while a push was under way that names it")
            // It may be moving to another zone.
            if !ledger.livesOn(key(parent), without: nil) { ledger.removed(key(parent), at: scheduler.steps) }
        }
    }

    @discardableResult
    private func share(
        _ root: ObjectKey, _ permission: SharePermission, administrator: String?, on server: any WorldServer
    ) async throws -> ObjectShares.Known? {
        sharing.objects.count += 1
        var record = WireRecord(recordName: "Share-\(sharing.objects.count)", recordType: WireShare.recordType)
        var share = WireShare()
        // CloudKit shares a version of a record.
        let tag = plan.plain == nil ? nil : try await tag(of: root, on: server)
        share.forRecord = WireShare.RecordID(recordName: root.uuidString, recordChangeTag: tag)
        share.publicPermission = permission
        if let administrator {
            share.participants = [WireParticipant(.init(userRecordName: administrator), type: .administrator)]
        }
        record.share = share
        switch try await modify([RecordOperation(.create, record)], on: server) {
        case .record(let saved)?:
            guard let guid = saved.share?.shortGUID else {
                fail("the share has no address")
                return nil
            }
            trace.note("shelf \(root.uuidString.suffix(4)) is shared as \(record.recordName), \(permission.rawValue)")
            situations.note("an object was shared where it is")
            let known = ObjectShares.Known(
                name: record.recordName, root: root, shortGUID: guid, permission: permission)
            sharing.objects.known.append(known)
            return known
        // The shelf is missing, deleted, shared already, or was changed meanwhile.
        case .error(let error)? where [.notFound, .badRequest, .conflict].contains(error.error.code): return nil
        case let other:
            fail("a shelf was not shared: \(String(describing: other))")
            return nil
        }
    }

    private func tag(of root: ObjectKey, on server: any WorldServer) async throws -> String? {
        let request = RecordsLookupRequest(
            zoneID: ZoneID(zoneName: SimulatedServer.zone), records: [.init(recordName: root.uuidString)])
        let answer = try await self.server.post(try request.wireJSON(), to: "records/lookup", of: server)
        guard case .record(let record)? = try RecordsResponse(wireJSON: answer.body).records.first else { return nil }
        return record.recordChangeTag
    }

    private func set(_ permission: SharePermission, _ known: ObjectShares.Known, on server: any WorldServer)
        async throws
    {
        var record = WireRecord(recordName: known.name, recordType: WireShare.recordType)
        var share = WireShare()
        share.publicPermission = permission
        record.share = share
        record.recordChangeTag = nil
        switch try await modify([RecordOperation(.forceUpdate, record)], on: server) {
        case .record:
            trace.note("the right of \(known.name) becomes \(permission.rawValue)")
            situations.note("the right to an object became \(permission.rawValue)")
        case .error: forget(known)
        case nil: fail("no answer to a change of a share")
        }
    }

    /// Ends a share by the owner, or a guest's part in it.
    private func end(_ known: ObjectShares.Known, by guest: String?, on server: any WorldServer) async throws {
        trace.note("\(guest ?? "the owner") ends \(known.name)")
        let record = WireRecord(recordName: known.name, recordType: WireShare.recordType)
        _ = try await modify([RecordOperation(.forceDelete, record)], on: server, by: guest)
        situations.note(guest == nil ? "a share of an object ended" : "a guest left a share of an object")
        if guest == nil { forget(known) }
    }

    private func leaveAll(_ guest: String, on server: any WorldServer) async throws {
        trace.note("\(guest) leaves the zone")
        situations.note("a guest left all shares of objects")
        let zone = ZoneID(zoneName: SimulatedServer.zone, ownerRecordName: sharing.owner)
        let body = try ZonesModifyRequest(operations: [.init(.delete, zone)]).wireJSON()
        try await self.server.post(body, to: "zones/modify", of: server, database: "shared", by: guest)
    }

    private func join(_ known: ObjectShares.Known, _ guest: String, on server: any WorldServer) async throws {
        let request = ShareGUIDsRequest(shortGUIDs: [ShortGUID(known.shortGUID)])
        let answer = try await self.server.post(
            try request.wireJSON(), to: "records/accept", of: server, database: "public", by: guest)
        // If the only share does not exist or was accepted before, the whole request fails.
        let error = try? WireError(wireJSON: answer.body)
        if error?.code == .notFound { return forget(known) }
        if plan.plain != nil, error?.reason == "the share was accepted before" { return }
        switch try ShareResultsResponse(wireJSON: answer.body).results.first {
        case .share(let share)?:
            trace.note("\(guest) accepts \(known.name)")
            for device in devices where device.guest == guest { ledger.letIn(device.disk.name) }
            situations.note("a guest accepted a share of an object")
            sharing.owner = share.zoneID.ownerRecordName
        case .error(_, let error)? where error.code == .notFound: forget(known)
        default: fail("\(guest) was not let in: \(String(decoding: answer.body, as: UTF8.self))")
        }
    }

    private func forget(_ known: ObjectShares.Known) { sharing.objects.known.removeAll { $0.name == known.name } }

    /// Changes records of the zone without any device. Returns the first result.
    private func modify(
        _ operations: [RecordOperation], on server: any WorldServer, by guest: String? = nil
    ) async throws -> RecordResult? {
        let zone = ZoneID(zoneName: SimulatedServer.zone, ownerRecordName: guest == nil ? nil : sharing.owner)
        let request = RecordsModifyRequest(zoneID: zone, operations: operations)
        let answer = try await self.server.post(
            try request.wireJSON(), to: "records/modify", of: server, database: guest == nil ? "private" : "shared",
            by: guest)
        // A guest who sees nothing of the zone is told that it does not exist. A server may also send items with a
        // failure.
        guard answer.status == 200 else { return try? RecordsResponse(wireJSON: answer.body).records.first }
        return try RecordsResponse(wireJSON: answer.body).records.first
    }
}

// The sight of guests when the world is at rest.
extension World {
    /// The reasons against rest for a guest's device: news on the server that it has not read.
    func unrest(ofPartOn device: SimulatedDevice, _ guest: String, _ standing: Standing) -> [String] {
        let found = Confined(Box("the server does not answer \(device.name)")), world = Confined(self)
        scheduler.task {
            await world.value.attempt { found.value.value = try await world.value.news(for: device, guest, standing) }
        }
        scheduler.executor.drain()
        return found.value.value.isEmpty ? [] : [found.value.value]
    }

    private func news(for device: SimulatedDevice, _ guest: String, _ standing: Standing) async throws -> String {
        let zone = ZoneID(zoneName: SimulatedServer.zone, ownerRecordName: sharing.owner)
        let request = ZoneChangesRequest(zones: [.init(zoneID: zone, syncToken: standing.token)])
        let answer = try await server.ask(try request.wireJSON(), for: "changes/zone", database: "shared", by: guest)
        switch try ZoneChangesResponse(wireJSON: answer.body).zones.first {
        case .changes(let page)?:
            if !standing.hasZone { return "\(device.name) has not heard that it takes part" }
            return page.records.isEmpty && !page.moreComing ? "" : "\(device.name) is not up to date"
        case .error(let error)? where error.error.code == .zoneNotFound:
            return standing.hasZone ? "\(device.name) has not heard that it takes part no more" : ""
        case let other: return "\(device.name) cannot read its zone: \(String(describing: other))"
        }
    }

    /// Checks the sight of guests. A guest must see the shared objects and their descendants with the owner's values,
    /// and nothing else. On a plain server, an object removed from its only parent still belongs to it: no document
    /// describes how a record loses its parent.
    func judgeParts() throws {
        guard plan.sharesObjects, let owner = devices.last?.process?.coordinator else { return }
        let shares = sharesOfObjects(), parents = server.parents()
        for device in devices {
            guard let guest = device.guest, let process = device.process else { continue }
            let roots = shares.filter { _, share in
                share.participants?.contains {
                    $0.userIdentity.userRecordName == guest && $0.acceptanceStatus == .accepted
                        && $0.permission != .none
                } ?? false
            }.map(\.root)
            let expected = try StoreImage(owner, below: Set(roots), by: parents, besides: shownWhole(to: guest, owner)),
                seen = try StoreImage(process.coordinator)
            if !expected.lines.isEmpty { situations.note("a guest saw objects that are shared where they are") }
            if let difference = expected.difference(from: seen) {
                fail("what is shared with \(device.name), and what it has, differ: \(difference)")
            }
        }
    }

    /// The objects of the further zone that is shared as a whole.
    private func shownWhole(to guest: String, _ owner: PersistentStoreCoordinator) throws -> Set<ObjectKey> {
        guard let gallery = plan.gallery, sharing.joined.contains(guest), let store = owner.store.journal else {
            return []
        }
        let keys = try owner.model.entities.flatMap { try owner.store.fetchKeys(StoreFetchRequest(entity: $0)) }
        return try store.readJournal { journal in
            guard let zone = try journal.zones().first(where: { $0.value == gallery })?.key else { return [] }
            let found = Set(try journal.zones(of: keys).filter { $0.value == zone }.keys)
            if !found.isEmpty { situations.note("a guest saw a zone beside objects that are shared where they are") }
            return found
        }
    }

    /// The existing shares with their roots, as their owner sees them.
    private func sharesOfObjects() -> [(root: ObjectKey, share: WireShare)] {
        let found = Confined(Box<[(root: ObjectKey, share: WireShare)]>([])), world = Confined(self)
        scheduler.task {
            await world.value.attempt {
                let known = world.value.sharing.objects.known
                guard !known.isEmpty else { return }
                let roots = Dictionary(uniqueKeysWithValues: known.map { ($0.name, $0.root) })
                let request = RecordsLookupRequest(
                    zoneID: ZoneID(zoneName: SimulatedServer.zone), records: known.map { .init(recordName: $0.name) })
                let answer = try await world.value.server.ask(
                    try request.wireJSON(), for: "records/lookup", database: "private", by: nil)
                for case .record(let record) in try RecordsResponse(wireJSON: answer.body).records {
                    guard let root = roots[record.recordName], let share = record.share else { continue }
                    found.value.value.append((root, share))
                }
            }
        }
        scheduler.executor.drain()
        return found.value.value
    }
}
