import Backstitch
import BackstitchTestKit
import CloudWire
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("the engine, under random events")
struct EngineRandomTests {
    @Test(
        "every cycle ends, every caller is answered once, and nothing is left to send or to fetch", arguments: 0..<400)
    func random(number: UInt64) {
        let seed = number &+ base
        var world = EngineWorld(seed: seed)
        for _ in 0..<200 { world.act() }
        world.heal()
        #expect(world.faults.isEmpty, "seed \(seed): \(world.faults)")
        #expect(world.isQuiet, "seed \(seed): it never came to rest; open \(world.openNames)")
        for (number, zone) in world.zones.enumerated() {
            #expect(zone.unsent.isEmpty, "seed \(seed), zone \(number): unsent \(zone.unsent)")
            #expect(zone.seen == zone.version, "seed \(seed), zone \(number): saw \(zone.seen) of \(zone.version)")
        }
        #expect(world.tickets.isEmpty, "seed \(seed): callers \(world.tickets) wait for ever")
    }
}

private let base: UInt64 = {
    let seed = SeededGenerator.seed()
    print("engine seed \(seed)")
    return seed
}()

/// A world of some zones, each with its part of the outbox. It answers the engine's effects in any order, with faults
/// until it heals.
private struct EngineWorld {
    struct Zone {
        /// The number of saves of each unsent object: now, and at its last read for a batch.
        var unsent: [ObjectKey: Int] = [:]
        var read: [ObjectKey: Int] = [:]
        /// How often others have changed it; how often the store knows of; how often it has read.
        var version = 0, told = 0, seen = 0
    }

    private var engine: SyncEngine
    private var random: SeededGenerator
    private var now: Int64 = 1_000_000
    private var open: [SyncEngine.Effect] = []
    private var timers: [SyncEngine.Timer: Int64] = [:]
    private var isHealthy = false
    private var isRunning = false
    private var nextTicket = 0
    private var nextObject: UInt64 = 0

    private(set) var faults: [String] = []
    private(set) var zones: [Zone]
    /// The zone of the effect that is answered.
    private var place = 0
    /// The uploads that objects wait for, those under way, and those that were told to stop.
    private var held: [HeldUpload] = []
    private var uploading: Set<HeldUpload> = [], stopped: Set<HeldUpload> = []
    private var lastHeld = 0
    /// The objects whose bytes have arrived.
    private var arrived: Set<ObjectKey> = []
    private(set) var tickets: Set<Int> = []

    var openNames: [String] { open.compactMap(\.name) }
    var isQuiet: Bool { !isRunning && openNames.allSatisfy { $0 == "listen" } }

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        zones = Array(repeating: Zone(), count: [1, 1, 3, 4][Int(seed / 6 % 4)])
        var settings = SyncEngine.Settings()
        settings.asksConnectivity = seed / 24 % 2 == 1
        engine = SyncEngine(settings: settings, isSetUp: seed % 2 == 0, isFirstSyncComplete: seed % 3 == 0)
    }

    /// Does something at random.
    mutating func act() {
        switch Int.random(in: 0..<12, using: &random) {
        case 0:
            nextObject += 1
            save(key(nextObject), in: anyZone())
        case 1:
            zones[anyZone()].version += 1
            tell(.trigger(.push, ticket: nil))
        case 2:
            nextTicket += 1
            tickets.insert(nextTicket)
            tell(.trigger("by hand", ticket: nextTicket))
        case 3: tell(.trigger(.networkState, ticket: nil))
        case 4: fireNext()
        case 5 where Int.random(in: 0..<6, using: &random) == 0: tell(.paused(Bool.random(using: &random)))
        case 6 where Int.random(in: 0..<6, using: &random) == 0: tell(.credentialsChanged)
        case 7 where Int.random(in: 0..<6, using: &random) == 0:
            if Bool.random(using: &random) { tell(.lostLead) } else { takeOver() }
        default: answerOne()
        }
    }

    /// Ends all faults, and lets everything run until nothing but waiting for notifications is left.
    mutating func heal() {
        isHealthy = true
        takeOver()
        tell(.paused(false))
        tell(.credentialsChanged)
        for index in zones.indices { zones[index].version += 1 }
        tell(.trigger(.push, ticket: nil))
        for round in 0..<5_000 {
            if round < 30, Int.random(in: 0..<4, using: &random) == 0 { saveAgain() }
            let answerable = open.indices.filter { open[$0].name != "listen" }
            if let position = answerable.randomElement(using: &random) {
                answer(position)
            } else if isRunning || timers[.cycle] != nil || timers[.step] != nil || timers[.uploads] != nil {
                fireNext()
            } else {
                return
            }
        }
    }

    private mutating func save(_ key: ObjectKey, in zone: Int) {
        zones[zone].unsent[key, default: 0] += 1
        tell(.trigger(.localSave, ticket: nil))
    }

    /// Saves an object that is unsent, perhaps while its change is under way.
    private mutating func saveAgain() {
        let zone = anyZone()
        if let key = zones[zone].unsent.keys.sorted().randomElement(using: &random) { save(key, in: zone) }
    }

    private mutating func anyZone() -> Int { Int.random(in: zones.indices, using: &random) }

    private mutating func takeOver() {
        tell(.tookOver(isSetUp: Bool.random(using: &random), isFirstSyncComplete: true, isOff: false))
    }

    private mutating func tell(_ event: SyncEngine.Event) {
        for effect in engine.step(event, at: now, date: now, random: random.next()) {
            switch effect {
            case .setTimer(let timer, let time):
                if time < now { faults.append("a timer in the past") }
                timers[timer] = time
            case .cancelTimer(let timer): timers[timer] = nil
            case .refuse(let ticket, _): answered([ticket])
            case .noteFirstSync: break
            case .uploadAsset(let upload):
                if !uploading.insert(upload).inserted { faults.append("upload \(upload.number) was begun twice") }
                open.append(effect)
            case .stopUploads(let uploads): stopped.formUnion(uploads)
            case .forgetUploads(let zone): held.removeAll { zone == nil || $0.zone == zone }
            case .report(.started):
                if isRunning { faults.append("a cycle began within another") }
                isRunning = true
            case .report(.progress): if !isRunning { faults.append("progress without a cycle") }
            case .report(.finished(_, let callers)), .report(.failed(_, let callers)):
                if !isRunning { faults.append("an end without a cycle") }
                isRunning = false
                answered(callers)
            default: open.append(effect)
            }
        }
        let names = openNames.map { String($0.prefix { $0 != " " }) }
        for name in ["apply", "open", "send", "settle", "setUp", "listen", "register", "assets"]
        where names.count(where: { $0 == name }) > 1 {
            faults.append("two of \(name) at once")
        }
    }

    private mutating func answered(_ callers: [Int]) {
        for ticket in callers where tickets.remove(ticket) == nil {
            faults.append("ticket \(ticket) was answered twice")
        }
    }

    private mutating func fireNext() {
        guard let (timer, time) = timers.min(by: { ($0.value, "\($0.key)") < ($1.value, "\($1.key)") }) else { return }
        timers[timer] = nil
        now = max(now, time)
        tell(.timerFired(timer))
    }

    private mutating func answerOne() {
        if let position = open.indices.randomElement(using: &random) { answer(position) }
    }

    private mutating func fault() -> SyncFailure? {
        guard !isHealthy, Int.random(in: 0..<4, using: &random) == 0 else { return nil }
        let kinds: [SyncFailure.Kind] = [
            .network, .network, .busy, .authentication, .zoneNotFound, .tokenRefused, .superseded, .permanent,
        ]
        let kind = kinds[Int.random(in: 0..<kinds.count, using: &random)]
        return SyncFailure(kind, BackstitchError(.server, "\(kind)"), retryAfter: kind == .busy ? 3_000 : nil)
    }

    private mutating func answer(_ position: Int) {
        var effect = open.remove(at: position)
        place = 0
        if case .inZone(let zone, let inner) = effect { (place, effect) = (Int(zone), inner) }
        now += 5
        let failure = fault()
        func result<Value>(_ value: Value) -> Result<Value, SyncFailure> {
            failure.map { .failure($0) } ?? .success(value)
        }
        switch effect {
        case .askConnectivity:
            let mayTry = isHealthy || Bool.random(using: &random)
            tell(.connectivityAsked(mayTry ? .success(()) : .failure(.of(.noConnection))))
        case .checkAccount: tell(.accountChecked(result(Int.random(in: 0..<4, using: &random) == 0)))
        case .setUp: tell(.setUpEnded(result(())))
        case .lookAtZones(let asksServer): look(asksServer, failure)
        case .settleMoves: tell(.movesSettled(failure.map(Result.failure) ?? .success(SettledMoves())))
        case .forgetZone where place > 0 && failure == nil && Bool.random(using: &random):
            // The store does without it, and another one of its name is found.
            zones[place] = Zone(version: zones[place].version)
            tell(.zoneDropped(.success(AppliedChanges())))
        case .forgetZone: tell(.zoneForgotten(result(())))
        case .forgetToken: tell(.tokenForgotten(result(())))
        case .openZones(let numbers): tell(.zonesOpened(result(OpenedZones(some(of: numbers).map(cursor)))))
        case .fetchPages(let cursors): tell(.pagesFetched(result(pages(cursors))))
        case .applyPages(let pages): tell(.pagesApplied(result(apply(pages, fails: failure != nil))))
        case .fetchPage(let cursor):
            var at = zones[place].seen
            if case .token(let token) = cursor { at = Int(token) ?? 0 }
            let next = min(at + 2, zones[place].version)
            tell(.pageFetched(result(page("\(next)", more: next < zones[place].version))))
        case .applyPage(let page):
            if failure == nil { zones[place].seen = max(zones[place].seen, Int(page.token ?? "") ?? 0) }
            tell(.pageApplied(result(AppliedChanges())))
        case .prepareBatch(let ceiling, let excluded, _):
            let waiting = Set(held.flatMap(\.keys))
            let ready = zones[place].unsent.keys.filter { !excluded.contains($0) && !waiting.contains($0) }.sorted()
            var chosen = Array(ready.prefix(ceiling?.changes ?? 3))
            let isLast = ready.count == chosen.count
            let uploads = failure == nil ? hold(&chosen) : []
            for key in chosen { zones[place].read[key] = zones[place].unsent[key] }
            let items = chosen.flatMap { batch($0.low & 0xFFFF_FFFF).items }
            let prepared = chosen.isEmpty ? nil : PushBatch(items: items, idempotencyKey: "")
            var answer = PreparedBatch(batch: prepared, isLast: isLast)
            answer.uploads = uploads
            tell(.batchPrepared(result(answer)))
        case .sendBatch(let batch): send(batch, failure)
        case .takeBackAttempts: tell(.attemptsTakenBack(result(())))
        case .settleBatch(let batch, let reply): settle(batch, reply, failure)
        case .fetchAssets: tell(.assetsFetched(missing: isHealthy ? 0 : Int.random(in: 0...1, using: &random)))
        case .uploadAsset(let upload): self.upload(upload, failure)
        case .registerPushListener: tell(.pushListenerRegistered(result(true)))
        case .listen:
            // After the healing, each answered poll would begin the next one without end.
            if isHealthy {
                open.append(effect)
            } else {
                tell(.pushListenerAnswered(result(Bool.random(using: &random))))
            }
        case .inZone, .noteFirstSync, .stopUploads, .forgetUploads, .setTimer, .cancelTimer, .report, .refuse,
            .cancelAll:
            break
        }
    }

    /// Leaves out some objects of a batch, until their assets have arrived.
    private mutating func hold(_ chosen: inout [ObjectKey]) -> [HeldUpload] {
        let large = chosen.filter { !arrived.contains($0) && Int.random(in: 0..<4, using: &random) == 0 }
        chosen.removeAll(where: large.contains)
        return large.map { key in
            lastHeld += 1
            let upload = HeldUpload(number: lastHeld, zone: Int64(place), keys: [key])
            held.append(upload)
            return upload
        }
    }

    private mutating func upload(_ upload: HeldUpload, _ failure: SyncFailure?) {
        uploading.remove(upload)
        let failure = stopped.remove(upload) == nil ? failure : .of(.permanent)
        if failure == nil {
            held.removeAll { $0 == upload }
            arrived.formUnion(upload.keys)
        }
        tell(.assetUploaded(upload, failure.map { .failure($0) } ?? .success(())))
    }

    // Several zones together. Some are left out at random.

    private mutating func some<Element>(of all: [Element]) -> [Element] {
        guard !isHealthy else { return all }
        return all.filter { _ in Int.random(in: 0..<5, using: &random) > 0 }
    }

    private func cursor(_ zone: Int64) -> ZoneCursor { ZoneCursor(zone: zone, token: "\(zones[Int(zone)].seen)") }

    private mutating func pages(_ cursors: [ZoneCursor]) -> FetchedPages {
        var answer = FetchedPages([])
        for cursor in some(of: cursors) {
            if Int.random(in: 0..<3, using: &random) == 0 {
                answer.unanswered.append(cursor.zone)
                continue
            }
            let version = zones[Int(cursor.zone)].version
            let next = min((Int(cursor.token ?? "") ?? 0) + 2, version)
            var page = page("\(next)", more: next < version)
            page.base = cursor.token
            answer.pages.append(ZonePage(zone: cursor.zone, page))
        }
        return answer
    }

    private mutating func apply(_ pages: [ZonePage], fails: Bool) -> AppliedPages {
        if fails { return AppliedPages([]) }
        var applied = AppliedPages([])
        for page in some(of: pages) where page.page.base == "\(zones[Int(page.zone)].seen)" {
            zones[Int(page.zone)].seen = Int(page.page.token ?? "") ?? 0
            applied.zones.append((page.zone, AppliedChanges()))
        }
        return applied
    }

    private mutating func look(_ asksServer: Bool, _ failure: SyncFailure?) {
        if let failure { return tell(.zonesFound(.failure(failure))) }
        if asksServer { for index in zones.indices { zones[index].told = zones[index].version } }
        let work = zones.enumerated().dropFirst().map { number, zone in
            ZoneWork(
                zone: Int64(number), isSetUp: true, isUnread: false, hasNews: zone.told > zone.seen,
                hasUnsent: !zone.unsent.isEmpty)
        }
        tell(.zonesFound(.success(FoundZones(Array(work)))))
    }

    private mutating func send(_ batch: PushBatch, _ failure: SyncFailure?) {
        if let failure { return tell(.batchSent(.failure(failure))) }
        if !isHealthy, Int.random(in: 0..<5, using: &random) == 0 {
            return tell(.batchSent(.failure(SyncFailure(.batchRefused, BackstitchError(.server, "too large")))))
        }
        let answers = batch.items.map { _ -> PushReply.Answer in
            switch isHealthy ? 9 : Int.random(in: 0..<10, using: &random) {
            case 0: .conflict(nil)
            case 1: .later(500)
            case 2: .untouched
            case 3: .parentless(reason: "no parent")
            default: .done(changeTag: "t")
            }
        }
        tell(.batchSent(.success(PushReply(answers: answers))))
    }

    private mutating func settle(_ batch: PushBatch, _ reply: PushReply, _ failure: SyncFailure?) {
        if let failure { return tell(.batchSettled(.failure(failure))) }
        var settled = SettledBatch()
        for (item, answer) in zip(batch.items, reply.answers) {
            let key = item.entry.objectID.key
            switch answer {
            case .done, .refused, .held, .unauthorized, .denied:
                settled.sent += 1
                if zones[place].read[key] == zones[place].unsent[key] {
                    zones[place].unsent[key] = nil
                } else {
                    settled.changed.append(key)
                }
            case .conflict, .moved, .untouched: settled.again.append(key)
            case .parentless: settled.parentless.append(key)
            case .later(let wait):
                settled.deferred.append(key)
                settled.retryAfter = wait
            }
        }
        // It is written, and the engine has not heard of it yet.
        if !isHealthy, Int.random(in: 0..<4, using: &random) == 0, let item = batch.items.randomElement(using: &random)
        {
            save(item.entry.objectID.key, in: place)
        }
        tell(.batchSettled(.success(settled)))
    }
}
