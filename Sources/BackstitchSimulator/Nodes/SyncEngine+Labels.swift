import Backstitch
import BackstitchSync
import CloudWire

// The names of effects and outcomes in the trace. They are detailed enough to follow, and equal for equal seeds.
extension SyncEngine.Effect {
    /// The effect itself, without the zone around it.
    var inside: SyncEngine.Effect { if case .inZone(_, let effect) = self { effect } else { self } }

    var stepName: String {
        switch self {
        case .inZone(_, let effect): effect.stepName
        case .lookAtZones: "looking at zones"
        case .openZones: "opening zones"
        case .fetchPages: "fetching pages of zones"
        case .applyPages: "applying pages of zones"
        case .settleMoves: "settling moves"
        case .setUp: "setting up"
        case .forgetZone: "forgetting the zone"
        case .forgetToken: "forgetting the token"
        case .fetchPage: "beginning a pull"
        case .applyPage: "applying a page"
        case .prepareBatch: "choosing a batch"
        case .sendBatch: "sending a batch"
        case .takeBackAttempts: "taking back a batch"
        case .settleBatch: "settling a batch"
        case .fetchAssets: "fetching assets"
        case .uploadAsset: "uploading an asset"
        default: "the long poll"
        }
    }

    var label: String {
        switch self {
        case .inZone(let zone, let effect): "in zone \(zone): \(effect.label)"
        case .openZones(let zones): "opens zones \(zones)"
        case .fetchPages(let cursors): "fetches pages of zones \(cursors.map(\.zone))"
        case .applyPages(let pages): "applies pages: \(pages.map { "in zone \($0.zone) \($0.page.label)" })"
        case .applyPage(let page): "applies a page: \(page.label)"
        case .sendBatch(let batch):
            "sends \(batch.items.map { "\($0.operation.operationType.rawValue) \($0.entry.objectID.key.uuidString.suffix(4)) \($0.operation.record.fields.keys.sorted())" })"
        case .settleBatch(let batch, let reply):
            "settles \(zip(batch.items, reply.answers).map { "\($0.entry.objectID.key.uuidString.suffix(4)) \($1.label)" })"
        case .prepareBatch(let ceiling, let excluded, let onlyDeletions):
            "chooses a batch (at most \(ceiling.map { "\($0.changes)\($0.cutsSaves ? ", cut" : "")" } ?? "all"), \(excluded.count) left out\(onlyDeletions ? ", deletions" : ""))"
        default: "begins: \(stepName)"
        }
    }
}

extension FetchedPage {
    fileprivate var label: String {
        let names = records.map { ($0.deleted ? "-" : "") + $0.recordName.suffix(4) }
        return "\(names), more \(moreComing)"
    }
}

extension PushReply.Answer {
    fileprivate var label: String {
        switch self {
        case .done: "done"
        case .conflict(let record): record == nil ? "gone" : "conflict"
        case .moved: "moved"
        case .refused(let reason): "refused: \(reason)"
        case .held(let reason): "held: \(reason)"
        case .unauthorized(let reason): "unauthorized: \(reason)"
        case .denied(let reason, let record): "denied: \(reason), there is \(record == nil ? "no record" : "a record")"
        case .later: "later"
        case .parentless(let reason): "parentless: \(reason)"
        case .untouched: "untouched"
        }
    }
}

extension SyncEngine.Event {
    var label: String {
        switch self {
        case .setUpEnded(let result): "set up: \(result.label)"
        case .zoneForgotten(let result): "has forgotten the zone: \(result.label)"
        case .tokenForgotten(let result): "has forgotten the token: \(result.label)"
        case .pageFetched(let result): "has got a page: \(result.label)"
        case .pageApplied(let result):
            "has applied a page: \(result.label) \(result.value?.label ?? "")"
        case .zonesOpened(let result):
            "has opened zones: \(result.label) \(result.value.map { "\($0.cursors.map(\.zone))" } ?? "")"
        case .pagesFetched(let result):
            "has got pages: \(result.label) "
                + (result.value.map { "\($0.pages.map(\.zone)), not of \($0.unanswered)" } ?? "")
        case .movesSettled(let result):
            "has settled moves: \(result.label) "
                + (result.value.map {
                    "\($0.applied.label), to send in \($0.zones.map(\.zone)), reads again \($0.needsReading), more \($0.hasMore)"
                } ?? "")
        case .pagesApplied(let result):
            "has applied pages: \(result.label) "
                + (result.value.map { "\($0.zones.map { "zone \($0.zone) \($0.applied.label)" })" } ?? "")
        case .batchPrepared(let result):
            "has chosen a batch: \(result.label) \(result.value.map { "\($0.batch?.items.count ?? 0) items" } ?? "")"
        case .batchSent(let result): "has sent a batch: \(result.label)"
        case .attemptsTakenBack(let result): "has taken back a batch: \(result.label)"
        case .batchSettled(let result):
            "has settled a batch: \(result.label) \(result.value.map { "sent \($0.sent), again \($0.again.count), blocked \($0.blocked.count)" } ?? "")"
        case .assetUploaded(let upload, let result):
            "has uploaded an asset of \(upload.keys.map { $0.uuidString.suffix(4) }): \(result.label)"
        case .assetsFetched(let missing, _): "has fetched assets, \(missing) missing"
        case .pushListenerRegistered(let result): "has registered for notifications: \(result.label)"
        case .pushListenerAnswered(let result):
            "is told: \(result.label) \(result.value.map { $0 ? "news" : "nothing" } ?? "")"
        case .trigger(let reason, _): "is triggered: \(reason)"
        case .timerFired(let timer): "timer \(timer)"
        case .paused(let isPaused): isPaused ? "is paused" : "goes on"
        case .credentialsChanged: "has new credentials"
        case .closed: "is closed"
        case .turnedOff(let isOff): isOff ? "is turned off" : "is turned on"
        case .tookOver: "takes over"
        case .lostLead: "has lost the lead"
        case .zoneErased: "has erased the zone"
        case .connectivityAsked(let result): "has asked for the network: \(result.label)"
        case .zonesFound(let result):
            "has looked at zones: \(result.label) "
                + (result.value.map { found in "\(found.zones.filter { !$0.isDone }.map(\.zone))" } ?? "")
        case .zoneDropped(let result): "has dropped a zone: \(result.label)"
        case .accountChecked(let result): "has checked the account: \(result.label)"
        }
    }
}

extension AppliedChanges {
    fileprivate var label: String {
        "+\(changes.inserted.count) ~\(changes.updated.count) -\(changes.deleted.count) conflicts \(conflicts.count)"
    }
}

extension Result where Failure == SyncFailure {
    fileprivate var value: Success? { try? get() }

    fileprivate var label: String {
        switch self {
        case .success: "well"
        case .failure(let failure): "failed (\(failure.kind): \(failure.error.message))"
        }
    }
}
