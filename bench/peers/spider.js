// spider (Rust), by its binding for Node: node spider.js JOB [one]
// The binding has no setting for the number of connections; it takes what spider takes by itself. A website is one host
// to spider: so many hosts are so many websites, all at once, or with "one" a single website to which the others belong,
// as its external domains, or as its subdomains where the job names a domain.
"use strict";

const fs = require("fs");
const path = require("path");
// The packages are in the peers' environment, not beside this file.
const { Website } = require(require.resolve("@spider-rs/spider-rs", { paths: [process.env.PEERS, process.cwd()] }));

async function crawl(seed, others, domain) {
  const website = new Website(seed).withRespectRobotsTxt(true).withDelay(0).withDepth(0);
  if (domain) {
    website.withSubdomains(true);
  } else if (others) {
    website.withExternalDomains(others);
  }
  await website.build().crawl();
}

async function main() {
  const { seeds, domain } = JSON.parse(fs.readFileSync(path.resolve(process.argv[2]), "utf8"));
  if (process.argv[3] === "one") {
    await crawl(seeds[0], seeds, domain);
  } else {
    await Promise.all(seeds.map((seed) => crawl(seed)));
  }
}

main();
