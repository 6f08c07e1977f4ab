import Backstitch
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("the engine, when a zone or a token is lost")
struct EngineRecoveryTests {
    @Test("a zone that is gone is made anew once in a cycle, and read before anything is sent")
    func zoneGone() {
        var script = EngineScript()
        script.tell(.trigger(.localSave, ticket: nil))
        script.answer("prepare", .batchPrepared(.success(PreparedBatch(batch: batch(1), isLast: true))))
        #expect(script.answer("send", .batchSent(.failure(.of(.zoneNotFound)))) == ["forgetZone"])
        #expect(script.answer("forgetZone", .zoneForgotten(.success(()))) == ["setUp"])
        #expect(script.answer("setUp", .setUpEnded(.success(()))) == ["fetch"])
        script.answer("fetch", .pageFetched(.success(page("1"))))
        #expect(script.answer("apply", .pageApplied(.success(AppliedChanges()))) == ["prepare"])
        script.answer("prepare", .batchPrepared(.success(PreparedBatch(batch: batch(1), isLast: true))))
        #expect(script.answer("send", .batchSent(.failure(.of(.zoneNotFound)))) == [])
        #expect(script.reports.last == "failed server")
    }

    @Test("a zone that was made anew is read first, also when the cycle that learnt of it has failed before")
    func zoneGoneThenFailed() {
        var script = EngineScript()
        script.tell(.trigger(.localSave, ticket: nil))
        script.answer("prepare", .batchPrepared(.success(PreparedBatch(batch: batch(1), isLast: true))))
        script.answer("send", .batchSent(.failure(.of(.zoneNotFound))))
        #expect(script.answer("forgetZone", .zoneForgotten(.success(()))) == ["setUp"])
        script.answer("setUp", .setUpEnded(.failure(.of(.permanent))))
        #expect(script.tell(.trigger(.localSave, ticket: nil)) == ["setUp"])
        #expect(script.answer("setUp", .setUpEnded(.success(()))) == ["fetch"])
    }

    @Test("a token that is refused is dropped once in a cycle")
    func tokenRefused() {
        var script = EngineScript()
        script.tell(.trigger(.push, ticket: nil))
        #expect(script.answer("fetch", .pageFetched(.failure(.of(.tokenRefused)))) == ["forgetToken"])
        #expect(script.answer("forgetToken", .tokenForgotten(.success(()))) == ["fetch"])
        #expect(script.answer("fetch", .pageFetched(.failure(.of(.tokenRefused)))) == [])
        #expect(script.reports.last == "failed server")
    }

    @Test(
        "what is saved, or to be sent again, when token or zone is lost after the push is sent by the same cycle",
        arguments: [SyncFailure.Kind.tokenRefused, .zoneNotFound])
    func lostAfterPush(_ kind: SyncFailure.Kind) {
        var script = EngineScript()
        script.tell(.trigger(.localSave, ticket: nil))
        script.answer("prepare", .batchPrepared(.success(PreparedBatch(batch: batch(1), isLast: true))))
        script.answer("send", .batchSent(.success(PushReply(answers: [.done(changeTag: "a")]))))
        var settled = SettledBatch()
        settled.again = [key(1)]
        script.answer("settle", .batchSettled(.success(settled)))
        #expect(script.answer("prepare", nothingToSend) == ["fetch"])
        script.answer("fetch", .pageFetched(.failure(.of(kind))))
        #expect(script.tell(.trigger(.localSave, ticket: nil)) == [])
        if kind == .zoneNotFound {
            script.answer("forgetZone", .zoneForgotten(.success(())))
            #expect(script.answer("setUp", .setUpEnded(.success(()))) == ["fetch"])
        } else {
            #expect(script.answer("forgetToken", .tokenForgotten(.success(()))) == ["fetch"])
        }
        script.answer("fetch", .pageFetched(.success(page("1"))))
        #expect(script.answer("apply", .pageApplied(.success(.init()))) == ["prepare"])
        script.answer("prepare", nothingToSend)
        #expect(script.reports == ["started local save", "finished"])
    }
}
