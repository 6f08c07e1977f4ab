import Backstitch
import BackstitchServer
import BackstitchSync
import CloudWire
import Foundation

extension World {
    /// Shares the zone, and lets all guests accept, before the work begins.
    func shareZone(with guests: [String]) {
        administerAndWait { [self] server in
            let zone = ZonesModifyRequest(operations: [.init(.create, ZoneID(zoneName: plan.wholeZone))])
            try await self.server.post(try zone.wireJSON(), to: "zones/modify", of: server)
            try await set(.readWrite, on: server)
            for guest in guests { try await join(guest, on: server) }
        }
        for guest in guests where !sharing.joined.contains(guest) { fail("\(guest) could not accept the share") }
    }

    /// Changes the guests' rights, or lets a guest leave or return.
    func changeSharing() {
        guard server.isRunning, let guest = any(devices.compactMap(\.guest)) else { return }
        if plan.sharesObjects, plan.gallery == nil || scheduler.chance(600) { return changeObjectShares(guest) }
        let (choice, sharing) = (scheduler.pick(0...9), sharing)
        server.administer { [self] server in
            if choice < 6 {
                try await set(sharing.rights.permission == .readOnly ? .readWrite : .readOnly, on: server)
            } else if self.sharing.joined.contains(guest) {
                try await leave(guest, on: server)
            } else {
                try await join(guest, on: server)
            }
        }
    }

    private func set(_ permission: SharePermission, on server: any WorldServer) async throws {
        trace.note("the guests' right becomes \(permission.rawValue)")
        situations.note("guests' right became \(permission.rawValue)")
        var record = WireRecord(recordName: WireShare.zoneShareName, recordType: WireShare.recordType)
        var share = WireShare()
        share.publicPermission = permission
        record.share = share
        let request = RecordsModifyRequest(
            zoneID: ZoneID(zoneName: plan.wholeZone), operations: [RecordOperation(.forceUpdate, record)])
        sharing.rights.isChanging = true
        let answer = try await self.server.post(try request.wireJSON(), to: "records/modify", of: server)
        guard case .record(let saved)? = try RecordsResponse(wireJSON: answer.body).records.first,
            let guid = saved.share?.shortGUID
        else { return fail("the share was not saved: \(String(decoding: answer.body, as: UTF8.self))") }
        sharing.shortGUID = guid
        sharing.rights = Sharing.Rights(permission: permission, changes: sharing.rights.changes + 1)
    }

    private func join(_ guest: String, on server: any WorldServer) async throws {
        trace.note("\(guest) accepts the share")
        let request = ShareGUIDsRequest(shortGUIDs: [ShortGUID(sharing.shortGUID)])
        let answer = try await self.server.post(
            try request.wireJSON(), to: "records/accept", of: server, database: "public", by: guest)
        guard case .share(let share)? = try ShareResultsResponse(wireJSON: answer.body).results.first else {
            return fail("\(guest) was not let in: \(String(decoding: answer.body, as: UTF8.self))")
        }
        sharing.owner = share.zoneID.ownerRecordName
        sharing.joined.insert(guest)
    }

    private func leave(_ guest: String, on server: any WorldServer) async throws {
        trace.note("\(guest) leaves the share")
        situations.note("a guest left")
        let zone = ZoneID(zoneName: plan.wholeZone, ownerRecordName: sharing.owner)
        let request = ZonesModifyRequest(operations: [.init(.delete, zone)])
        let answer = try await self.server.post(
            try request.wireJSON(), to: "zones/modify", of: server, database: "shared", by: guest)
        guard answer.status == 200 else {
            return fail("\(guest) could not leave: \(String(decoding: answer.body, as: UTF8.self))")
        }
        sharing.joined.remove(guest)
    }

    func administerAndWait(_ work: @escaping (any WorldServer) async throws -> Void) {
        server.administer(work)
        scheduler.executor.drain()
    }

    /// The reasons against rest for a guest's device.
    func unrest(ofGuest device: SimulatedDevice, _ guest: String, _ standing: Standing) -> [String] {
        let hasWhole = plan.gallery.map { standing.further.keys.contains($0) } ?? standing.hasZone
        let ofParts = plan.sharesObjects ? unrest(ofPartOn: device, guest, standing) : []
        guard !plan.sharesObjects || plan.gallery != nil else { return ofParts }
        guard sharing.joined.contains(guest) != hasWhole else { return ofParts }
        return ofParts + ["\(device.name) has not heard that it takes part\(hasWhole ? " no more" : "")"]
    }

    /// Checks guests who have left a zone: their devices must hold nothing of it.
    func judgeLeavers() throws {
        if plan.sharesObjects { return }
        for device in devices {
            guard let guest = device.guest, !sharing.joined.contains(guest), let process = device.process else {
                continue
            }
            let lines = try StoreImage(process.coordinator).lines
            if !lines.isEmpty { fail("\(device.name) takes part no more, and has \(lines)") }
        }
    }
}

extension SimulatedServer {
    /// Checks a guest's push that moved the zone while guests had no right to write.
    func judgeDenial(_ exchange: Exchange, _ answer: TransportResponse) {
        world.attempt {
            let done = try RecordsResponse(wireJSON: answer.body).records.contains {
                if case .record = $0 { true } else { false }
            }
            if done { world.fail("a push of \(exchange.device.name) landed, whose user may only read") }
        }
    }
}

extension SimulatedDevice {
    /// Whether the device has a zone for its objects.
    func hasZone() throws -> Bool {
        guard database == .shared, let standing = try standing() else { return database != .shared }
        return standing.hasZone || !standing.further.isEmpty
    }

    /// Puts a guest's new objects into a shared zone: shelves into the one with shared objects, other objects into the
    /// one that is shared as a whole.
    func assignToZone(_ context: ManagedObjectContext) throws {
        guard guest != nil, let zones = try process?.store.readJournal({ try $0.zones() }).values.sorted(),
            let first = zones.first, let last = zones.last
        else { return }
        // The main zone is named after its owner. Further ones have longer names.
        let ofShelves = WorkloadKind.shelves.entities
        for object in context.insertedObjects {
            try context.assign(object, toZone: ofShelves.contains(object.entity.name) ? first : last)
        }
    }
}
