import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("the command that looks after accounts")
struct AdminTests {
    private func admin(
        _ arguments: [String], _ environment: [String: String] = [:], fails: Bool = false
    ) async throws -> String {
        let command = try await TestProcess(
            "backstitch", ["admin"] + arguments, environment: environment, errors: .withOutput
        ).ended()
        #expect((command.status != 0) == fails, "\(arguments): \(command.output)")
        return command.output
    }

    /// The word behind a label at the beginning of a line.
    private func word(_ label: String, of output: String) throws -> String {
        let line = try #require(output.split(separator: "\n").first { $0.hasPrefix(label) }, "\(output)")
        return String(try #require(line.dropFirst(label.count).split(separator: " ").first))
    }

    private func status(_ token: String, at server: String) async throws -> Int? {
        let path = "\(server)/database/1/iCloud.test/development/private/users/current"
        var request = URLRequest(url: try #require(URL(string: path)))
        request.httpMethod = "POST"
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        return (try await URLSession.shared.data(for: request).1 as? HTTPURLResponse)?.statusCode
    }

    @Test("an administrator's token goes to this machine only, and not to a name that begins like its address")
    func elsewhere() async throws {
        for server in ["http://127.example.org:9090", "http://example.org:9090", "https://127.0.0.1:9090"] {
            let refused = try await admin(
                ["users", "list", "--server", server], ["BACKSTITCH_ADMIN_TOKEN": "secret"], fails: true)
            #expect(refused.contains("on this machine"), "\(server): \(refused)")
        }
    }

    @Test("an administrator's token goes to the server itself, whatever proxy the environment names")
    func proxy() async throws {
        let folder = try TemporaryFolder()
        let storage = folder.url.appending(path: "zones")
        let token = try word(
            "token:", of: try await admin(["tokens", "add", "--administrator", "--storage", storage.path]))
        let server = try ServerProcess(storage: storage, containers: ["--accounts"], ["--admin-port", "0"])
        defer { server.process.stop() }
        let said = try #require(server.process.readLine())
        let base = try #require(said.split(separator: " ").last.map(String.init))
        // No server listens there.
        let proxy = "http://127.0.0.1:9"
        _ = try await admin(
            ["users", "list", "--server", base],
            ["BACKSTITCH_ADMIN_TOKEN": token, "http_proxy": proxy, "all_proxy": proxy, "no_proxy": ""])
    }

    @Test("an administrator's token is not sent on to where a server redirects")
    func redirected() async throws {
        // Sends every request on to another path, and prints the path and the token of each.
        let program = """
            import http.server
            class Handler(http.server.BaseHTTPRequestHandler):
                def do_POST(self):
                    print(self.path, self.headers["Authorization"], flush=True)
                    self.send_response(307)
                    self.send_header("Location", f"http://127.0.0.1:{server.server_port}/elsewhere")
                    self.send_header("Content-Length", "0")
                    self.end_headers()
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
            print(server.server_port, flush=True)
            server.serve_forever()
            """
        let other = try TestProcess(
            at: URL(filePath: "/usr/bin/env"), [TestProcess.python, "-c", program], errors: .discarded)
        // The tests ignore SIGTERM, and so does what they start.
        defer { other.kill() }
        let port = try #require(try await other.nextLine())
        let refused = try await admin(
            ["users", "list", "--server", "http://127.0.0.1:\(port)"], ["BACKSTITCH_ADMIN_TOKEN": "secret"],
            fails: true)
        other.kill()
        #expect(refused.contains("is not the administration of a server"), "\(refused)")
        #expect(try await other.remainingLines() == ["/admin/users/list Bearer secret"])
    }

    @Test("where no server answers, the command names the address and the option")
    func absent() async throws {
        // No server listens there.
        let refused = try await admin(
            ["users", "list", "--server", "http://127.0.0.1:9"], ["BACKSTITCH_ADMIN_TOKEN": "secret"], fails: true)
        #expect(refused.contains("no server answers at http://127.0.0.1:9: "), "\(refused)")
        #expect(refused.contains("refused") && refused.contains("--admin-port"), "\(refused)")
        #expect(!refused.contains("secret"), "\(refused)")
    }

    @Test("makes accounts in a storage without a server, and in a running one; each is honoured at once")
    func both() async throws {
        let folder = try TemporaryFolder()
        let storage = folder.url.appending(path: "zones").path
        let there = ["--storage", storage]
        let added = try await admin(["users", "add", "ada", "--email", "ada@example.org"] + there)
        let name = try word("_", of: added)
        let token = try word("token:", of: try await admin(["tokens", "add", "ada", "--days", "14"] + there))
        let administrator = try word("token:", of: try await admin(["tokens", "add", "--administrator"] + there))
        _ = try await admin(["containers", "add", "iCloud.test"] + there)

        let server = try ServerProcess(
            storage: URL(filePath: storage), containers: ["--accounts"], ["--admin-port", "0"])
        defer { server.process.stop() }
        let said = try #require(server.process.readLine())
        let base = try #require(said.split(separator: " ").last.map(String.init))
        #expect(try await status(token, at: server.url) == 200)

        // The folder has one user at a time, and the message says what to do.
        let refused = try await admin(["users", "list"] + there, fails: true)
        #expect(refused.contains("--server"), "\(refused)")
        let secret = folder.url.appending(path: "secret")
        try "\(administrator)\n".write(to: secret, atomically: true, encoding: .utf8)
        let remote = ["--server", base, "--token-file", secret.path]
        let list = try await admin(["users", "list", "--json"] + remote)
        let lines = try #require(try JSONSerialization.jsonObject(with: Data(list.utf8)) as? [[String: Any]])
        #expect(lines.map { $0["recordName"] as? String } == ["_" + name])
        #expect(lines.first?["emailAddress"] as? String == "ada@example.org")

        let second = try await admin(
            ["tokens", "add", "ada", "--json", "--server", base], ["BACKSTITCH_ADMIN_TOKEN": administrator])
        let made = try #require(try JSONSerialization.jsonObject(with: Data(second.utf8)) as? [String: Any])
        let other = try #require(made["secret"] as? String)
        let id = try #require((made["token"] as? [String: Any])?["id"] as? String)
        #expect(try await status(other, at: server.url) == 200)
        #expect(try await admin(["tokens", "revoke", id] + remote).contains("revoked \(id)"))
        #expect(try await status(other, at: server.url) == 421)
        #expect(try await status(token, at: server.url) == 200)
        #expect(try await admin(["tokens", "revoke", id] + remote, fails: true).contains("tokens list"))
        _ = try await admin(["users", "set", "ada", "--discoverable", "--alias", "countess"] + remote)
        #expect(try await admin(["users", "list"] + remote).contains("countess"))
        _ = try await admin(["users", "remove", "countess"] + remote)
        #expect(try await status(token, at: server.url) == 421)
        #expect(try await admin(["users", "list", "--json"] + remote).contains("recordName") == false)
    }

    @Test("takes keys of programs, and lists them")
    func keys() async throws {
        let folder = try TemporaryFolder()
        let there = ["--database", "sqlite:\(folder.url.appending(path: "zones").path)"]
        let file = folder.url.appending(path: "public.pem")
        try """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEA38CXEgmRNm+wVsCYTaKsHhDEm/t
        qze4YttfMpx6Ct04986Di/Tnnt40uf/KMQrGC8tKNHTNTj+FddazcICaFg==
        -----END PUBLIC KEY-----
        """.write(to: file, atomically: true, encoding: .utf8)
        let id = "a847382a7773a9da78a8e21822c037589e70c29daac8d5d2d9d3d77ac4d671a1"
        _ = try await admin(["users", "add", "robot"] + there)
        let added = try await admin(
            ["keys", "add", "robot", "--public-key", file.path, "--container", "iCloud.test", "--until", "2100-01-31"]
                + there)
        #expect(added.contains(id) && added.contains("iCloud.test") && added.contains("2100-01-31"))
        #expect(try await admin(["keys", "list"] + there).contains(id))
        #expect(try await admin(["keys", "revoke", id] + there).contains("revoked"))
        #expect(try await admin(["keys", "list"] + there).isEmpty)
    }

    @Test(
        "says what it would have to be told",
        arguments: [
            (["users", "list"], "--storage"), (["users", "list", "--storage", "a", "--server", "b"], "--storage"),
            (["users", "list", "--server", "http://192.0.2.1:9090"], "on this machine"),
            (["users", "list", "--server", "http://127.0.0.1:9"], "--admin-port"),
            (["users", "list", "--database", "mysql://x"], "postgres://"),
            (["tokens", "add", "--storage", "/nowhere"], "name the token's user"),
            (["tokens", "add", "ada", "--days", "0", "--storage", "/nowhere"], "--days"),
            (["tokens", "add", "ada", "--until", "soon", "--storage", "/nowhere"], "--until"),
        ])
    func mistakes(_ arguments: [String], _ hint: String) async throws {
        let said = try await admin(
            arguments, ["BACKSTITCH_ADMIN_TOKEN": "0123456789-abcdefghijkl-43"], fails: true)
        #expect(said.contains(hint), "\(said)")
    }
}
