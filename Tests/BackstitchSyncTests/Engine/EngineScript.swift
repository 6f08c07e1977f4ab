import Backstitch
import CloudWire
import TestSupport

@testable import BackstitchSync

/// Drives an engine by hand: tells it events and keeps what it asks for.
struct EngineScript {
    var engine: SyncEngine
    var now: Int64 = 1_000_000
    /// The effects that were asked for and not answered yet.
    private(set) var open: [SyncEngine.Effect] = []
    private(set) var timers: [SyncEngine.Timer: Int64] = [:]
    private(set) var reports: [String] = []
    private(set) var refused: [Int: BackstitchError] = [:]
    private(set) var answered: [Int: String] = [:]
    private(set) var summaries: [SyncSummary] = []
    /// The immediate answer to a look at zones; nil if the script answers.
    var foundZones: [ZoneWork]? = []

    init(
        settings: SyncEngine.Settings = .init(), isSetUp: Bool = true, isFirstSyncComplete: Bool = true,
        listening: Bool = true
    ) {
        engine = SyncEngine(settings: settings, isSetUp: isSetUp, isFirstSyncComplete: isFirstSyncComplete)
        engine.assets = .complete
        if listening { engine.pushListener.state = .listening }
    }

    /// Tells an event and gives the names of the effects that have outcomes.
    @discardableResult
    mutating func tell(_ event: SyncEngine.Event) -> [String] {
        var effects = engine.step(event, at: now, date: now, random: 7)
        for effect in effects { take(effect) }
        // Where a script does not care for zones there is but one.
        if let found = foundZones, let position = open.firstIndex(where: { $0.name == "zones" }) {
            open.remove(at: position)
            effects.removeAll { $0.name == "zones" }
            return effects.compactMap(\.name) + tell(.zonesFound(.success(FoundZones(found))))
        }
        return effects.compactMap(\.name)
    }

    /// Answers the oldest open effect of that name.
    @discardableResult
    mutating func answer(_ name: String, _ event: SyncEngine.Event) -> [String] {
        guard let position = open.firstIndex(where: { $0.name == name }) else {
            return ["nothing open is called \(name)"]
        }
        open.remove(at: position)
        return tell(event)
    }

    /// Lets time pass until a timer is due, and fires it.
    @discardableResult
    mutating func fire(_ timer: SyncEngine.Timer) -> [String] {
        guard let time = timers.removeValue(forKey: timer) else { return ["no timer \(timer)"] }
        now = max(now, time)
        return tell(.timerFired(timer))
    }

    var openNames: [String] { open.compactMap(\.name) }

    private mutating func take(_ effect: SyncEngine.Effect) {
        switch effect {
        case .setTimer(let timer, let time): timers[timer] = time
        case .cancelTimer(let timer): timers[timer] = nil
        case .refuse(let ticket, let error): refused[ticket] = error
        case .cancelAll: open = []
        case .report(.started(let reason)): reports.append("started \(reason)")
        case .report(.progress): break
        case .report(.finished(let summary, let tickets)):
            reports.append("finished")
            summaries.append(summary)
            for ticket in tickets { answered[ticket] = "finished" }
        case .noteFirstSync, .forgetUploads: break
        case .report(.failed(let error, let tickets)):
            reports.append("failed \(error.code)")
            for ticket in tickets { answered[ticket] = "failed" }
        default: open.append(effect)
        }
    }
}

extension SyncEngine.Effect {
    /// The name of an effect that has an outcome.
    var name: String? {
        switch self {
        case .inZone(let zone, let effect): effect.name.map { "\($0) in \(zone)" }
        case .askConnectivity: "ask"
        case .lookAtZones: "zones"
        case .settleMoves: "moves"
        case .openZones(let zones): "open \(zones)"
        case .fetchPages(let cursors): "fetch \(cursors.map { "\($0.zone) after \($0.token ?? "nothing")" })"
        case .applyPages(let pages): "apply \(pages.map(\.zone))"
        case .noteFirstSync: nil
        case .checkAccount: "account"
        case .setUp: "setUp"
        case .forgetZone: "forgetZone"
        case .forgetToken: "forgetToken"
        case .fetchPage(.stored): "fetch"
        case .fetchPage(.token(let token)): "fetch after \(token)"
        case .applyPage: "apply"
        case .prepareBatch(_, _, true): "prepare deletions"
        case .prepareBatch(let ceiling?, _, false): "prepare \(ceiling.changes)\(ceiling.cutsSaves ? " cut" : "")"
        case .prepareBatch(nil, _, false): "prepare"
        case .sendBatch: "send"
        case .takeBackAttempts: "take back"
        case .settleBatch: "settle"
        case .fetchAssets: "assets"
        case .uploadAsset(let held): "upload \(held.number)"
        case .registerPushListener: "register"
        case .listen: "listen"
        case .stopUploads(let held): "stop \(held.map(\.number))"
        case .forgetUploads, .setTimer, .cancelTimer, .report, .refuse, .cancelAll: nil
        }
    }
}

extension SyncFailure {
    static let offline = SyncFailure(.network, BackstitchError(.network, "unreachable"))
    static func busy(_ wait: Int64?) -> SyncFailure {
        SyncFailure(.busy, BackstitchError(.server, "busy"), retryAfter: wait)
    }
    static func of(_ kind: SyncFailure.Kind) -> SyncFailure { SyncFailure(kind, BackstitchError(.server, "\(kind)")) }
}

/// Changes of saves of their own, or of one.
func batch(_ numbers: UInt64..., save: Int64? = nil) -> PushBatch {
    PushBatch(
        items: numbers.map { number in
            PushItem(
                entry: OutboxEntry(
                    objectID: noteID(number), kind: .update, sequence: save ?? Int64(number), firstSequence: 1),
                operation: RecordOperation(.update, WireRecord(recordName: key(number).uuidString)))
        }, idempotencyKey: "")
}

func page(_ token: String, more: Bool = false) -> FetchedPage {
    FetchedPage(base: nil, token: token, moreComing: more, records: [])
}

let nothingToSend = SyncEngine.Event.batchPrepared(.success(PreparedBatch(batch: nil, isLast: true)))
