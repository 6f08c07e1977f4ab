import Backstitch
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("the engine, and uploads beside its cycles")
struct EngineUploadTests {
    private func upload(_ number: Int, zone: Int64 = 0) -> HeldUpload {
        HeldUpload(number: number, zone: zone, keys: [key(UInt64(number))])
    }

    /// A look at the outbox that finds only changes waiting for uploads.
    private func holding(_ uploads: HeldUpload...) -> SyncEngine.Event {
        var prepared = PreparedBatch(batch: nil, isLast: true)
        prepared.uploads = uploads
        return .batchPrepared(.success(prepared))
    }

    /// An engine whose cycle, for a caller, waits for an upload.
    private func waiting(_ settings: SyncEngine.Settings = .init(), listening: Bool = true) -> EngineScript {
        var script = EngineScript(settings: settings, listening: listening)
        script.tell(.trigger("by hand", ticket: 1))
        script.answer("fetch", .pageFetched(.success(page("1"))))
        script.answer("apply", .pageApplied(.success(AppliedChanges())))
        #expect(script.answer("prepare", holding(upload(1))) == ["upload 1"])
        #expect(script.reports == ["started by hand"] && script.answered.isEmpty)
        return script
    }

    @Test("a save does not wait for an upload; who has called sync does, until the cycle that sends its record")
    func save() {
        var script = waiting()
        #expect(script.tell(.trigger(.localSave, ticket: nil)) == ["prepare"])
        #expect(script.reports.suffix(2) == ["finished", "started local save"] && script.answered.isEmpty)
        script.answer("prepare", .batchPrepared(.success(PreparedBatch(batch: batch(9), isLast: true))))
        script.answer("send", .batchSent(.success(PushReply(answers: [.done(changeTag: "1")]))))
        script.answer("settle", .batchSettled(.success(SettledBatch())))
        #expect(script.openNames == ["upload 1"] && script.answered.isEmpty)
        #expect(script.answer("upload 1", .assetUploaded(upload(1), .success(()))) == ["prepare"])
        script.answer("prepare", nothingToSend)
        #expect(script.answered == [1: "finished"] && script.reports.last == "finished")
    }

    @Test("who has called sync does not wait for uploads that come later")
    func later() {
        var script = waiting()
        script.tell(.trigger(.localSave, ticket: nil))
        script.answer("prepare", holding(upload(2)))
        script.answer("upload 1", .assetUploaded(upload(1), .success(())))
        script.answer("prepare", nothingToSend)
        // The cycle stays for the second one, and ends for something else.
        script.tell(.trigger(.localSave, ticket: nil))
        #expect(script.answered == [1: "finished"])
        #expect(script.openNames.contains("upload 2"))
    }

    @Test("a failure is told once; a save goes on without another try, which comes after a wait, or by hand")
    func failure() {
        var script = waiting()
        script.answer("upload 1", .assetUploaded(upload(1), .failure(.offline)))
        #expect(script.answered == [1: "failed"] && script.reports.last == "failed network")
        #expect(script.engine.status.lastError?.code == .network)
        // No cycle waits: a save begins one at once. It leaves the upload alone, and the problem is still reported.
        script.tell(.trigger(.localSave, ticket: nil))
        for name in ["fetch", "apply"] {
            let event: SyncEngine.Event =
                name == "fetch" ? .pageFetched(.success(page("2"))) : .pageApplied(.success(AppliedChanges()))
            if script.openNames.contains(name) { script.answer(name, event) }
        }
        script.answer("prepare", nothingToSend)
        #expect(script.reports.last == "finished" && script.openNames.isEmpty)
        #expect(script.engine.status.lastError?.code == .network)
        let first = (script.timers[.uploads] ?? 0) - script.now
        #expect((250...500).contains(first), "\(first)")
        #expect(script.engine.status.nextTry != nil)
        script.fire(.uploads)
        script.answer("fetch", .pageFetched(.success(page("3"))))
        #expect(script.answer("apply", .pageApplied(.success(AppliedChanges()))) == ["upload 1", "prepare"])
        #expect(script.timers[.uploads] == nil)
        script.answer("prepare", nothingToSend)
        script.answer("upload 1", .assetUploaded(upload(1), .failure(.busy(7_000))))
        #expect((script.timers[.uploads] ?? 0) - script.now >= 7_000)
        script.tell(.trigger("by hand", ticket: 2))
        script.answer("fetch", .pageFetched(.success(page("4"))))
        #expect(script.answer("apply", .pageApplied(.success(AppliedChanges()))) == ["upload 1", "prepare"])
        script.answer("prepare", nothingToSend)
        script.answer("upload 1", .assetUploaded(upload(1), .success(())))
        script.answer("prepare", nothingToSend)
        #expect(script.answered[2] == "finished" && script.engine.status.lastError == nil)
    }

    @Test("a pause stops uploads and refuses who waits; they begin again when it is over, however late they stop")
    func pause() {
        for isLate in [false, true] {
            var script = waiting()
            #expect(script.tell(.paused(true)) == ["stop [1]"])
            #expect(script.refused[1]?.code == .syncPaused)
            let stopped = SyncEngine.Event.assetUploaded(upload(1), .failure(.of(.permanent)))
            if !isLate { #expect(script.answer("upload 1", stopped) == []) }
            script.tell(.paused(false))
            if isLate { script.answer("upload 1", stopped) }
            for _ in 0..<2 {
                script.answer("fetch", .pageFetched(.success(page("2"))))
                script.answer("apply", .pageApplied(.success(AppliedChanges())))
                if script.openNames.contains("upload 1") { break }
                script.answer("prepare", nothingToSend)
            }
            #expect(script.openNames.contains("upload 1"), "late: \(isLate)")
            #expect(!script.reports.contains { $0.hasPrefix("failed") }, "\(script.reports)")
        }
    }

    @Test("a zone that is lost takes its uploads along, and what is still to be sent there is looked at anew")
    func lostZone() {
        var script = waiting()
        script.tell(.trigger(.push, ticket: nil))
        script.answer("fetch", .pageFetched(.failure(.of(.zoneNotFound))))
        script.answer("forgetZone", .zoneForgotten(.success(())))
        script.answer("setUp", .setUpEnded(.success(())))
        script.answer("fetch", .pageFetched(.success(page("1"))))
        script.answer("apply", .pageApplied(.success(AppliedChanges())))
        // The outcome of the old one changes nothing.
        script.answer("upload 1", .assetUploaded(upload(1), .failure(.offline)))
        #expect(script.answer("prepare", holding(upload(2))) == ["upload 2"])
        script.answer("upload 2", .assetUploaded(upload(2), .success(())))
        script.answer("prepare", nothingToSend)
        #expect(script.answered == [1: "finished"])
        #expect(!script.reports.contains { $0.hasPrefix("failed") })
    }

    @Test("while an upload takes hours, a server that does not tell of changes is asked as often as else")
    func polls() {
        var script = waiting(listening: false)
        #expect(script.timers[.poll] == script.now + 30_000)
        #expect(script.fire(.poll).contains("fetch"))
        #expect(script.answered.isEmpty)
    }

    @Test("four uploads run at once, the others when one has ended")
    func several() {
        var script = EngineScript()
        script.tell(.trigger(.localSave, ticket: nil))
        let begun = script.answer("prepare", holding(upload(1), upload(2), upload(3), upload(4), upload(5), upload(6)))
        #expect(begun == ["upload 1", "upload 2", "upload 3", "upload 4"])
        #expect(script.answer("upload 3", .assetUploaded(upload(3), .success(()))) == ["upload 5", "prepare"])
    }

    @Test("who closes the store while an upload runs is refused at once, and nothing is left open")
    func close() {
        var script = waiting()
        script.tell(.trigger(.localSave, ticket: nil))
        script.tell(.closed)
        #expect(script.refused[1]?.code == .storeClosed)
        #expect(script.openNames.isEmpty)
    }
}
