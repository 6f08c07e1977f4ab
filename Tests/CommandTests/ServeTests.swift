import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("the command that serves")
struct ServeTests {
    private static let desk = "desk-0123456789abcdefghijkl", wall = "wall-0123456789abcdefghijkl"
    private static let hall = "hall-0123456789abcdefghijkl"

    @Test("takes users and tokens that only read from the environment")
    func tokens() async throws {
        let folder = try TemporaryFolder()
        let server = try ServerProcess(
            storage: folder.url.appending(path: "zones"),
            environment: [
                "BACKSTITCH_USERS": "ada:\(Self.desk)", "BACKSTITCH_READERS": "ada:\(Self.wall) bob:\(Self.hall)",
            ])
        defer { server.process.stop() }
        #expect(try await makeZone("notes", Self.wall, at: server.url).contains("ACCESS_DENIED"))
        #expect(try await !makeZone("notes", Self.desk, at: server.url).contains("ACCESS_DENIED"))
        let existing = try await makeZone("notes", Self.wall, at: server.url)
        #expect(existing.contains("syncToken") && !existing.contains("ACCESS_DENIED"), "\(existing)")
        #expect(
            try await makeZone("notes", Self.hall, at: server.url).contains("ACCESS_DENIED"), "another user's zones")
        #expect(try await makeZone("notes", "unknown", at: server.url).contains("AUTHENTICATION_REQUIRED"))
    }

    @Test("takes users from a file of digests, which `token` writes, and reads it again at SIGHUP")
    func usersFile() async throws {
        let folder = try TemporaryFolder()
        let (token, line) = try await tokenAndLine()
        #expect(token.count >= 22 && !line.contains(token) && line.contains(" until "))
        let file = folder.url.appending(path: "users")
        try "# who may call\n\(line)\n".write(to: file, atomically: true, encoding: .utf8)
        let server = try ServerProcess(
            storage: folder.url.appending(path: "zones"), ["--users", file.path],
            environment: ["BACKSTITCH_USERS": "bob:\(Self.hall)"])
        defer { server.process.stop() }
        #expect(try await makeZone("notes", token, at: server.url).contains("syncToken"))
        try "".write(to: file, atomically: true, encoding: .utf8)
        server.process.send(SIGHUP)
        var answer = ""
        let isRefused = try await eventually {
            answer = try await makeZone("notes", token, at: server.url)
            return answer.contains("AUTHENTICATION_REQUIRED")
        }
        #expect(isRefused, "\(answer)")
        #expect(try await makeZone("notes", Self.hall, at: server.url).contains("syncToken"))
    }

    @Test("lets nobody in when the file of users names nobody, from the start or since SIGHUP")
    func nobody() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "users")
        try "# nobody yet\n".write(to: file, atomically: true, encoding: .utf8)
        let storage = folder.url.appending(path: "zones")
        do {
            let server = try ServerProcess(storage: storage, ["--users", file.path])
            defer { server.process.stop() }
            for token in ["ada", Self.desk] {
                #expect(try await makeZone("notes", token, at: server.url).contains("AUTHENTICATION_REQUIRED"))
            }
        }
        let (token, line) = try await tokenAndLine()
        try "\(line)\n".write(to: file, atomically: true, encoding: .utf8)
        let server = try ServerProcess(storage: storage, ["--users", file.path])
        defer { server.process.stop() }
        var answer = try await makeZone("notes", token, at: server.url)
        #expect(answer.contains("syncToken"), "\(answer)")
        try "".write(to: file, atomically: true, encoding: .utf8)
        server.process.send(SIGHUP)
        let isRefused = try await eventually {
            answer = try await makeZone("notes", token, at: server.url)
            return answer.contains("AUTHENTICATION_REQUIRED")
        }
        #expect(isRefused, "\(answer)")
    }

    @Test("reads the lines of a file of users that was written on Windows")
    func windowsLines() async throws {
        let folder = try TemporaryFolder()
        let (token, line) = try await tokenAndLine()
        let file = folder.url.appending(path: "users")
        try "# who may call\r\n\(line)\r\n".write(to: file, atomically: true, encoding: .utf8)
        let server = try ServerProcess(storage: folder.url.appending(path: "zones"), ["--users", file.path])
        defer { server.process.stop() }
        #expect(try await makeZone("notes", token, at: server.url).contains("syncToken"))
        try "# who may call\r\n\r\nada\r\n".write(to: file, atomically: true, encoding: .utf8)
        let command = try await serve(["--any-container", "--users", file.path])
        #expect(command.status != 0 && command.output.contains("line 3 of"), "\(command.output)")
    }

    /// A public key and its digest, as another implementation wrote them.
    private static let publicKey = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEA38CXEgmRNm+wVsCYTaKsHhDEm/t
        qze4YttfMpx6Ct04986Di/Tnnt40uf/KMQrGC8tKNHTNTj+FddazcICaFg==
        -----END PUBLIC KEY-----

        """
    private static let keyID = "a847382a7773a9da78a8e21822c037589e70c29daac8d5d2d9d3d77ac4d671a1"

    @Test("takes server-to-server keys and what is told of users from the file, and keys away at SIGHUP")
    func serverKeys() async throws {
        let folder = try TemporaryFolder()
        let keyFile = folder.url.appending(path: "public.pem"), file = folder.url.appending(path: "users")
        try Self.publicKey.write(to: keyFile, atomically: true, encoding: .utf8)
        func line(_ arguments: [String]) async throws -> String {
            let command = try await TestProcess("backstitch", ["token"] + arguments, errors: .withOutput).ended()
            #expect(command.status == 0, "\(command.output)")
            let line = try #require(command.lines.last { $0.hasPrefix("line:") })
            return line.dropFirst("line:".count).trimmingCharacters(in: .whitespaces)
        }
        let key = try await line(["robot", "--server-key", keyFile.path, "--container", "iCloud.test", "--days", "9"])
        #expect(key.hasPrefix("robot server-key \(Self.keyID) ") && key.contains(" container iCloud.test until "))
        let ada = try await line(
            ["ada", "--given-name", "Ada Mary", "--family-name", "#1%", "--email", "ada@example.org", "--discoverable"])
        #expect(ada.hasSuffix(" email ada@example.org given-name Ada%20Mary family-name %231%25 discoverable"))
        try "\(key)\n\(ada)\n".write(to: file, atomically: true, encoding: .utf8)
        let server = try ServerProcess(
            storage: folder.url.appending(path: "zones"), ["--users", file.path],
            environment: ["BACKSTITCH_USERS": "bob:\(Self.hall)"])
        defer { server.process.stop() }

        let path = "\(server.url)/database/1/iCloud.test/development/public"
        var discover = URLRequest(url: try #require(URL(string: "\(path)/users/discover")))
        discover.httpMethod = "POST"
        discover.setValue("Bearer \(Self.hall)", forHTTPHeaderField: "Authorization")
        discover.httpBody = Data(#"{"lookupInfos":[{"emailAddress":"ada@example.org"}]}"#.utf8)
        let found = String(decoding: try await URLSession.shared.data(for: discover).0, as: UTF8.self)
        #expect(found.contains(##""nameComponents":{"givenName":"Ada Mary","familyName":"#1%"}"##), "\(found)")

        // The signature is of another year: the key is known, and the date is not taken.
        var signed = URLRequest(url: try #require(URL(string: "\(path)/zones/list")))
        signed.setValue(Self.keyID, forHTTPHeaderField: "X-Apple-CloudKit-Request-KeyID")
        signed.setValue("2016-01-25T22:15:43Z", forHTTPHeaderField: "X-Apple-CloudKit-Request-ISO8601Date")
        signed.setValue(
            "MEQCIF5k62q8pE7sZjmyWO6o5FEpV7h24VhJgbTiS+Y+X30KAiAHGoihrRAYfuHmkvZtYFe5DXbcpqYuYClgpjgnsfYvDg==",
            forHTTPHeaderField: "X-Apple-CloudKit-Request-SignatureV1")
        var answer = String(decoding: try await URLSession.shared.data(for: signed).0, as: UTF8.self)
        #expect(answer.contains("AUTHENTICATION_FAILED") && answer.contains("ten minutes"), "\(answer)")
        try "\(ada)\n".write(to: file, atomically: true, encoding: .utf8)
        server.process.send(SIGHUP)
        let isUnknown = try await eventually {
            answer = String(decoding: try await URLSession.shared.data(for: signed).0, as: UTF8.self)
            return answer.contains("AUTHENTICATION_FAILED") && answer.contains("key is unknown")
        }
        #expect(isUnknown, "\(answer)")
    }

    @Test("refuses keys that are none, and options that do not go together")
    func noKeys() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "key.pem")
        try "-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\n".write(
            to: file, atomically: true, encoding: .utf8)
        for (arguments, hint) in [
            (["--server-key", file.path], "-pubout"), (["--server-key", "/nowhere"], "/nowhere"),
            (["--server-key", file.path, "--read-only"], "--container"),
            (["--container", "iCloud.test"], "--server-key"),
        ] {
            let command = try await TestProcess("backstitch", ["token", "robot"] + arguments, errors: .withOutput)
                .ended()
            #expect(command.status != 0)
            #expect(command.output.contains(hint), "\(command.output)")
        }
        let users = folder.url.appending(path: "users")
        for line in ["robot server-key", "robot server-key \(Self.keyID) AAAA", "ada server-key x y until never"] {
            try "\n\(line)\n".write(to: users, atomically: true, encoding: .utf8)
            let command = try await serve(["--any-container", "--users", users.path])
            #expect(command.status != 0)
            #expect(command.output.contains("line 2 of"), "\(command.output)")
        }
    }

    @Test(
        "refuses what would be a hole, and says what to do",
        arguments: [
            (["--host", "0.0.0.0"], ["BACKSTITCH_USERS": "bob:\(hall)"], "--insecure-http"),
            ([], ["BACKSTITCH_USERS": "bob:short"], "backstitch token"),
            (["--tls-certificate", "/nowhere"], [:], "--tls-key"),
            (["--tls-certificate", "/nowhere", "--tls-key", "/nowhere"], [:], "/nowhere"),
            (["--public-role", "Note=read"], [:], "--public-role"), (["--users", "/nowhere"], [:], "/nowhere"),
        ] as [([String], [String: String], String)])
    func holes(_ arguments: [String], _ environment: [String: String], _ hint: String) async throws {
        let command = try await serve(["--any-container"] + arguments, environment)
        #expect(command.status != 0)
        #expect(command.output.contains(hint), "\(command.output)")
    }

    @Test("names the variable that is not as it should be", arguments: ["BACKSTITCH_USERS", "BACKSTITCH_READERS"])
    func malformed(_ variable: String) async throws {
        let command = try await serve(["--any-container"], [variable: "ada"])
        #expect(command.status != 0)
        #expect(command.output.contains(variable) && command.output.contains("name:token"), "\(command.output)")
    }

    @Test(
        "says which containers it would have to be told, and starts nothing",
        arguments: [
            ([], "--any-container"), (["--container", "iCloud.a", "--any-container"], "iCloud.a"),
            (["--container", "no name"], "'no name'"), (["--container", ""], "not a name of a container"),
        ] as [([String], String)])
    func containers(_ arguments: [String], _ hint: String) async throws {
        let folder = try TemporaryFolder()
        let storage = folder.url.appending(path: "zones")
        let command = try await serve(["--storage", storage.path] + arguments)
        #expect(command.status != 0)
        #expect(command.output.contains(hint), "\(command.output)")
        #expect(!FileManager.default.fileExists(atPath: storage.path))
    }

    @Test("serves the containers that are named, and no others")
    func named() async throws {
        let folder = try TemporaryFolder()
        let server = try ServerProcess(
            storage: folder.url.appending(path: "zones"),
            containers: ["--container", "iCloud.test", "--container", "iCloud.other"])
        defer { server.process.stop() }
        for (container, word) in [
            ("iCloud.test", "syncToken"), ("iCloud.other", "syncToken"), ("iCloud.third", "NOT_FOUND"),
        ] {
            let answer = try await makeZone("notes", "ada", at: server.url, container)
            #expect(answer.contains(word), "\(container): \(answer)")
        }
    }

    /// A token of ada, and the line of the file of users that is about it.
    private func tokenAndLine() async throws -> (token: String, line: String) {
        let command = try await TestProcess("backstitch", ["token", "ada", "--days", "9"], errors: .withOutput).ended()
        #expect(command.status == 0)
        let lines = command.lines.map {
            $0.split(separator: ":", maxSplits: 1)[1].trimmingCharacters(in: .whitespaces)
        }
        return (try #require(lines.first), try #require(lines.last))
    }

    /// Runs a server that is to refuse its arguments, to its end.
    private func serve(
        _ arguments: [String], _ environment: [String: String] = [:]
    ) async throws -> TestProcess.Outcome {
        try await TestProcess(
            "backstitch", ["serve", "--port", "0"] + arguments, environment: environment, errors: .withOutput
        ).ended()
    }

    /// Asks the server for a zone, and returns its answer.
    private func makeZone(
        _ name: String, _ token: String, at server: String, _ container: String = "iCloud.test"
    ) async throws -> String {
        let url = try #require(URL(string: "\(server)/database/1/\(container)/development/private/zones/modify"))
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        request.httpBody = Data(
            #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"\#(name)"}}}]}"#.utf8)
        return String(decoding: try await URLSession.shared.data(for: request).0, as: UTF8.self)
    }
}
