# Writes the trees that tests/tree/test_rpart.py compares with, and the data they were grown on: Rscript rpart.R
library(rpart)
library(jsonlite)

# Direction and place of one row of fit$splits: a cut with the side of smaller values, or the levels on either side.
question <- function(fit, row) {
  column <- rownames(fit$splits)[row]
  s <- fit$splits[row, ]
  if (abs(s["ncat"]) < 2) {
    below <- if (s["ncat"] < 0) "left" else "right"
    return(list(column = unbox(column), cut = unbox(s[["index"]]), below = unbox(below)))
  }
  levels <- attr(fit, "xlevels")[[column]]
  side <- fit$csplit[s["index"], seq_along(levels)]
  list(column = unbox(column), left = levels[side == 1], right = levels[side == 3])
}

nodes <- function(fit) {
  row <- 0
  lapply(seq_len(nrow(fit$frame)), function(i) {
    f <- fit$frame[i, ]
    node <- list(node = unbox(as.integer(rownames(f))), n = unbox(f$n), risk = unbox(f$dev))
    if (f$var == "<leaf>") return(node)
    first <- row + 1
    others <- first + f$ncompete + seq_len(f$nsurrogate)
    row <<- first + f$ncompete + f$nsurrogate
    node$complexity <- unbox(f$complexity)
    node$split <- c(question(fit, first), list(improve = unbox(fit$splits[[first, "improve"]])))
    node$surrogates <- lapply(others, function(k) {
      judged <- list(agreement = unbox(fit$splits[[k, "improve"]]), adjusted = unbox(fit$splits[[k, "adj"]]))
      c(question(fit, k), judged)
    })
    node
  })
}

record <- function(name, fit, data) {
  told <- list(
    call = unbox(paste(deparse(fit$call, width.cutoff = 500), collapse = " ")),
    nodes = nodes(fit),
    cp_table = unname(fit$cptable),
    importance = lapply(as.list(fit$variable.importance), unbox),
    predictions = unname(predict(fit, data))
  )
  writeLines(toJSON(told, digits = I(12), null = "list"), paste0("rpart_", name, ".json"))
}

keep <- function(name, data) write.csv(data, paste0(name, ".csv"), row.names = FALSE, na = "", quote = FALSE)

tenths <- function(data) rep(1:10, length.out = nrow(data))

names(iris) <- c("sepal_length", "sepal_width", "petal_length", "petal_width", "species")
fit <- rpart(species ~ ., iris, minsplit = 2, minbucket = 1, cp = 0, xval = tenths(iris), maxsurrogate = 0)
record("iris", fit, iris)

stagec <- transform(stagec[c("age", "eet", "g2", "grade", "gleason", "ploidy")], progressed = factor(stagec$pgstat))
keep("stagec", stagec)
record("stagec", rpart(progressed ~ ., stagec, minsplit = 20, cp = 0, xval = tenths(stagec)), stagec)

data(Ozone, package = "mlbench")
ozone <- Ozone[!is.na(Ozone$V4), paste0("V", 4:13)]
keep("ozone", ozone)
record("ozone", rpart(V4 ~ ., ozone, minsplit = 20, cp = 0.01, xval = tenths(ozone)), ozone)

car90 <- car90[!names(car90) %in% c("Rim", "Tires", "Model2")]
for (name in c("Trans1", "Trans2")) levels(car90[[name]])[levels(car90[[name]]) == ""] <- "none"
keep("car90", car90)
priced <- car90[!is.na(car90$Price), ]
record("car90", rpart(Price ~ ., priced, minsplit = 20, cp = 0.01, xval = tenths(priced)), car90)
