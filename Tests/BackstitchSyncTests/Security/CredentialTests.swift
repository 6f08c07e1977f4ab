import Backstitch
import BackstitchSupport
import BackstitchTestKit
import CloudWire
import Foundation
import TestSupport
import Testing

@testable import BackstitchSync

@Suite("tokens that the server rotates")
struct CredentialTests {
    /// A server without extensions that gives a new token with each answer. The one before is good once more, because
    /// its answer may have been lost.
    private final class Rotating: Sendable {
        private struct State {
            var current = "given"
            var former: String?
            var count = 0
            var losesAnswers = 0
        }

        private let state = Locked(State())

        func loseAnswers(_ count: Int) { state.withLock { $0.losesAnswers = count } }

        func answer(_ request: TransportRequest) throws -> TransportResponse {
            try state.withLock { state in
                let token = request.url.components(separatedBy: "ckWebAuthToken=").last ?? ""
                guard request.url.contains("?"), token == state.current || token == state.former else {
                    return .json(
                        #"{"serverErrorCode":"AUTHENTICATION_REQUIRED","reason":"no","uuid":"1"}"#, status: 421)
                }
                state.former = token == state.current ? token : nil
                state.count += 1
                state.current = "rotated-\(state.count)"
                if state.losesAnswers > 0 {
                    state.losesAnswers -= 1
                    throw TransportError(.unreachable, "the connection broke")
                }
                return .json(
                    #"{"zones":[{"zoneID":{"zoneName":"Backstitch"}}]}"#,
                    headers: [(WireHeader.rotatedToken, state.current)])
            }
        }
    }

    private func withFile(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: ObjectIDGenerator().next().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.appending(path: "credential"))
    }

    private func client(
        _ server: Rotating, _ file: URL, _ token: String?, _ more: [StoreOption: any Sendable] = [:]
    ) throws -> CloudClient {
        var options: [StoreOption: any Sendable] = [.syncCredentialStore: SyncCredentialFile(file)]
        options.merge(more) { $1 }
        if let token { options[.syncWebAuthToken] = token }
        return try StubTransport.client(options, server.answer).0
    }

    @Test(
        "the newest is kept in a file of its owner's, and is used after each restart, and by a process that takes over")
    func kept() async throws {
        try await withFile { file in
            let server = Rotating()
            let standby = try client(server, file, "given")
            for _ in 0..<4 {
                let client = try client(server, file, "given")
                try await client.makeZone()
                try await client.makeZone()
            }
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(text.contains("rotated-8") && !text.contains("given"))
            try await standby.makeZone()
            // Without a token of its own the program wants the last one.
            try await client(server, file, nil).makeZone()
        }
    }

    @Test("a process that has asked nothing for a minute looks first at the token that another one keeps")
    func idle() async throws {
        try await withFile { file in
            let (server, start) = (Rotating(), ContinuousClock.now), passed = Locked(Duration.zero)
            let options = try client(server, file, "given").options
            let idle = CredentialKeeper(options, workers: .inline, now: { start + passed.withLock { $0 } })
            for _ in 0..<2 { try await client(server, file, "given").makeZone() }
            passed.withLock { $0 = .seconds(59) }
            #expect(await idle.credentialsForRequest().webAuthToken == "given")
            passed.withLock { $0 = .seconds(118) }
            #expect(await idle.credentialsForRequest().webAuthToken == "given")
            passed.withLock { $0 = .seconds(178) }
            #expect(await idle.credentialsForRequest().webAuthToken == "rotated-2")
        }
    }

    /// Keeps the first token, and fails from then on, as on a full disk.
    private final class FullStore: SyncCredentialStore {
        private let kept = Locked<SyncCredential?>(nil)

        func credential() throws -> SyncCredential? { kept.withLock { $0 } }

        func keep(_ credential: SyncCredential?) throws {
            try kept.withLock { kept in
                guard kept == nil else { throw TransportError(.unreachable, "the disk is full") }
                kept = credential
            }
        }
    }

    @Test("a token that could not be kept stays in use, and the kept one before it does not come back")
    func unkept() async throws {
        let server = Rotating(), start = ContinuousClock.now, passed = Locked(Duration.zero)
        let options: [StoreOption: any Sendable] = [
            .syncWebAuthToken: "given", .syncCredentialStore: FullStore(),
        ]
        let client = try StubTransport.client(options, server.answer).0
        let keeper = CredentialKeeper(client.options, workers: .inline, now: { start + passed.withLock { $0 } })
        for number in 1...3 { await keeper.rotate(to: "rotated-\(number)", inPlaceOf: keeper.replacement) }
        passed.withLock { $0 = .seconds(120) }
        #expect(await keeper.credentialsForRequest().webAuthToken == "rotated-3")
    }

    /// Notes whether a task has called it. In that case a thread for tasks has waited for the disk.
    private final class WatchedStore: SyncCredentialStore {
        private struct State {
            var kept: SyncCredential?
            var reads = 0, readsInTasks = 0, writesInTasks = 0
        }

        private let state = Locked(State())

        var kept: SyncCredential? { state.withLock { $0.kept } }
        var reads: Int { state.withLock { $0.reads } }
        var callsInTasks: Int { state.withLock { $0.readsInTasks + $0.writesInTasks } }

        func credential() throws -> SyncCredential? {
            let isInTask = withUnsafeCurrentTask { $0 != nil }
            return state.withLock { state in
                state.reads += 1
                if isInTask { state.readsInTasks += 1 }
                return state.kept
            }
        }

        func keep(_ credential: SyncCredential?) throws {
            let isInTask = withUnsafeCurrentTask { $0 != nil }
            state.withLock { state in
                state.kept = credential
                if isInTask { state.writesInTasks += 1 }
            }
        }
    }

    @Test("no thread that runs tasks waits while a token is kept, or looked up after a pause or a refusal")
    func threads() async throws {
        let server = Rotating(), store = WatchedStore(), start = ContinuousClock.now, passed = Locked(Duration.zero)
        let options: [StoreOption: any Sendable] = [.syncWebAuthToken: "given", .syncCredentialStore: store]
        // A program opens its stores on threads that may block.
        let client = try await onThread { try StubTransport.client(options, server.answer).0 }
        let standby = try await onThread { try StubTransport.client(options, server.answer).0 }
        let idle = try await onThread {
            CredentialKeeper(
                client.options, workers: WorkerPool(name: "test", limit: 1), now: { start + passed.withLock { $0 } })
        }
        for number in 1...2 {
            try await client.makeZone()
            #expect(store.kept?.webAuthToken == "rotated-\(number)")
        }
        passed.withLock { $0 = .seconds(120) }
        #expect(await idle.credentialsForRequest().webAuthToken == "rotated-2")
        #expect(store.reads == 4)
        // The token that it was opened with is refused by now.
        try await standby.makeZone()
        #expect(store.reads == 5)
        #expect(store.kept?.webAuthToken == "rotated-3")
        #expect(store.callsInTasks == 0)
    }

    @Test("a token that the program gives anew takes the place of what was kept, and signing out forgets it")
    func replaced() async throws {
        try await withFile { file in
            let store = SyncCredentialFile(file)
            let first = try client(Rotating(), file, "given")
            try await first.makeZone()
            #expect(try store.credential()?.webAuthToken == "rotated-1")
            #expect(try client(Rotating(), file, "other").keeper.credentials.webAuthToken == "other")
            #expect(try client(Rotating(), file, "given").keeper.credentials.webAuthToken == "rotated-1")
            first.setCredentials(SyncCredentials(apiToken: nil, webAuthToken: nil))
            #expect(try store.credential() == nil)
            #expect(!first.isSignedIn)
            #expect(!"\(SyncCredential(webAuthToken: "topsecret", origin: ""))".contains("topsecret"))
        }
    }

    @Test("an answer to a former user's request puts no token of that user's in the place of the next one's")
    func formerUser() async throws {
        try await withFile { file in
            let server = Rotating()
            let asked = Locked<CloudClient?>(nil)
            let options: [StoreOption: any Sendable] = [
                .syncCredentialStore: SyncCredentialFile(file), .syncWebAuthToken: "given",
            ]
            let client = try StubTransport.client(options) { request in
                let answer = try server.answer(request)
                asked.withLock(\.self)?.setCredentials(SyncCredentials(apiToken: nil, webAuthToken: "next"))
                return answer
            }.0
            asked.withLock { $0 = client }
            try await client.makeZone()
            #expect(client.keeper.credentials.webAuthToken == "next")
            #expect(try SyncCredentialFile(file).credential() == nil)
            #expect(!client.keeper.isAccountKnown)
        }
    }

    @Test("what one server or container has given is not shown to another")
    func scopes() async throws {
        try await withFile { file in
            try await client(Rotating(), file, "given").makeZone()
            let same = try client(Rotating(), file, nil)
            #expect(same.keeper.credentials.webAuthToken == "rotated-1")
            for other in [
                [StoreOption.syncServerURL: "https://other.example.org/"], [.syncContainer: "iCloud.org.other"],
                [.syncEnvironment: "production"],
            ] {
                #expect(try !client(Rotating(), file, nil, other).isSignedIn)
                #expect(try client(Rotating(), file, "given", other).keeper.credentials.webAuthToken == "given")
            }
        }
    }

    @Test("one lost answer does no harm; two in a row ask for a new sign-in, and say so")
    func lostAnswers() async throws {
        try await withFile { file in
            let server = Rotating()
            let client = try client(server, file, "given")
            try await client.makeZone()
            server.loseAnswers(1)
            await #expect(throws: SyncFailure.self) { try await client.makeZone() }
            try await client.makeZone()
            server.loseAnswers(2)
            for _ in 0..<2 { await #expect(throws: SyncFailure.self) { try await client.makeZone() } }
            let failure = await #expect(throws: SyncFailure.self) { try await client.makeZone() }
            #expect(failure?.kind == .authentication)
            #expect(
                failure?.error.message.contains("2 were lost: sign in again") == true, "\(String(describing: failure))")
        }
    }

    @Test("a link in the place of the file is not followed, and a half-written file is not used")
    func links() async throws {
        try await withFile { file in
            let target = file.deletingLastPathComponent().appending(path: "target")
            try SyncCredentialFile(target).keep(SyncCredential(webAuthToken: "another's", origin: "o"))
            let text = try Data(contentsOf: target)
            try FileManager.default.createSymbolicLink(at: file, withDestinationURL: target)
            let store = SyncCredentialFile(file)
            #expect(throws: POSIXError.self) { try store.credential() }
            try store.keep(SyncCredential(webAuthToken: "t", origin: "o"))
            #expect(try Data(contentsOf: target) == text)
            #expect(try store.credential()?.webAuthToken == "t")
        }
    }
}
