import Backstitch
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("the engine, and assets")
struct EngineAssetTests {
    @Test("assets that could not be downloaded are tried again after waits that grow, whatever the server tells of")
    func missingAssets() {
        var script = EngineScript()
        script.engine.assets = .lacking
        script.tell(.trigger(.push, ticket: nil))
        /// Milliseconds until the next look at the server after a cycle with this number of missing assets.
        func wait(missing: Int) -> Int64 {
            script.answer("fetch", .pageFetched(.success(page("1"))))
            script.answer("apply", .pageApplied(.success(.init())))
            script.answer("prepare", nothingToSend)
            #expect(script.openNames.contains("assets"))
            script.answer("assets", .assetsFetched(missing: missing))
            #expect(script.reports.last == "finished")
            return (script.timers[.poll] ?? 0) - script.now
        }
        #expect((15_000...30_000).contains(wait(missing: 1)))
        script.fire(.poll)
        #expect((30_000...60_000).contains(wait(missing: 1)))
        for _ in 0..<10 {
            script.fire(.poll)
            #expect(wait(missing: 2) <= 600_000)
        }
        script.fire(.poll)
        #expect(wait(missing: 0) == 600_000)
    }

    @Test("an asset that waits for its own time is tried then, however long looks have brought nothing")
    func nextTry() {
        var script = EngineScript()
        for _ in 0..<12 {
            script.engine.assets = .lacking
            script.tell(.trigger(.push, ticket: nil))
            script.answer("fetch", .pageFetched(.success(page("1"))))
            script.answer("apply", .pageApplied(.success(.init())))
            script.answer("prepare", nothingToSend)
            script.answer("assets", .assetsFetched(missing: 1, wait: 70_000))
        }
        #expect(script.timers[.poll] == script.now + 70_000)
        script.fire(.poll)
        script.answer("fetch", .pageFetched(.success(page("1"))))
        script.answer("apply", .pageApplied(.success(.init())))
        #expect(script.answer("prepare", nothingToSend) == ["assets"])
    }

    @Test("downloads of assets do not keep a cycle from ending when another one is wanted")
    func assets() {
        var script = EngineScript()
        script.engine.assets = .lacking
        script.tell(.trigger(.push, ticket: nil))
        script.answer("fetch", .pageFetched(.success(page("1"))))
        script.answer("apply", .pageApplied(.success(.init())))
        #expect(script.answer("prepare", nothingToSend) == ["assets"])
        #expect(script.reports == ["started push"])
        #expect(script.tell(.trigger(.localSave, ticket: nil)) == ["prepare"])
        #expect(script.reports == ["started push", "finished", "started local save"])
        script.answer("prepare", nothingToSend)
        script.answer("assets", .assetsFetched(missing: 0))
        #expect(script.engine.assets == .complete)
    }

    @Test("assets that a look at the outbox notes are asked for when the push has ended")
    func assetsOfOutbox() {
        var script = EngineScript()
        var prepared = PreparedBatch(batch: nil, isLast: true)
        for isMissing in [false, true, false] {
            prepared.mayMissAssets = isMissing
            script.tell(.trigger(.push, ticket: nil))
            script.answer("fetch", .pageFetched(.success(page("1"))))
            script.answer("apply", .pageApplied(.success(AppliedChanges())))
            #expect(script.answer("prepare", .batchPrepared(.success(prepared))) == (isMissing ? ["assets"] : []))
            if isMissing { script.answer("assets", .assetsFetched(missing: 0)) }
        }
    }

    @Test("assets that a page notes while others are downloaded are asked for too, and the cycle waits for them")
    func moreAssets() {
        var applied = AppliedChanges()
        applied.mayMissAssets = true
        var script = EngineScript()
        script.tell(.trigger(.push, ticket: nil))
        script.answer("fetch", .pageFetched(.success(page("1"))))
        script.answer("apply", .pageApplied(.success(applied)))
        #expect(script.answer("prepare", nothingToSend) == ["assets"])
        // Ends the wait, and notes another asset.
        #expect(script.tell(.trigger(.push, ticket: nil)) == ["fetch"])
        script.answer("fetch", .pageFetched(.success(page("2"))))
        script.answer("apply", .pageApplied(.success(applied)))
        #expect(script.answer("prepare", nothingToSend) == [])
        #expect(script.answer("assets", .assetsFetched(missing: 0)) == ["assets"])
        #expect(script.reports == ["started push", "finished", "started push"])
        script.answer("assets", .assetsFetched(missing: 0))
        #expect(script.reports == ["started push", "finished", "started push", "finished"])
        #expect(script.engine.assets == .complete)
    }

}
